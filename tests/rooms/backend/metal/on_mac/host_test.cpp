// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The host code of the Metal backend, unchanged, against the stand-in: what a Mac would be asked to do is done by the
// executor, and judged.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>

#include "backend/metal/backend.hpp"
#include "backend/metal/loaders.hpp"
#include "backend/metal/on_mac/device.hpp"
#include "reference/fill.hpp"
#include "reference/judge.hpp"
#include "rooms/backend/metal/on_mac/stand_in.hpp"

namespace {

const tw::Backend& metal() { return tw::metal::backend(); }

const tw::Kernel& kernel(std::string_view name) {
    for (const tw::Kernel* candidate : metal().ladder)
        if (name == candidate->name) return *candidate;
    ADD_FAILURE() << "there is no kernel " << name;
    return *metal().ladder[0];
}

/// A matrix in memory that the device lent.
struct Lent {
    Lent(tw::Type type, std::int64_t rows, std::int64_t cols)
        : memory(metal().alloc(static_cast<std::size_t>(rows * cols) * tw::size_of(type) + 64)),
          view{static_cast<char*>(memory) + 64, type, rows, cols, cols} {}
    ~Lent() { metal().free(memory); }
    void* memory;
    tw::Matrix view;  ///< not at the buffer's start: offsets are passed on
};

void expect_right(const char* name) {
    const tw::Kernel& row = kernel(name);
    const std::int64_t m = row.rung == tw::Rung::none ? 7 : 45, n = 71, k = 38;
    const Lent a(row.in, m, k), b(row.in, k, n), c(row.out, m, n);
    tw::reference::fill_operands(a.view, b.view, tw::reference::Fill::symmetric, 4);
    stand_in::state().findings.clear();
    const tw::Status status = row.run({.a = a.view, .b = b.view, .c = c.view}, row.tiles[0]);
    ASSERT_TRUE(status.is_ok()) << name << ": " << status.text;
    for (const std::string& finding : stand_in::state().findings) ADD_FAILURE() << finding;
    const auto verdict = tw::reference::judge({.a = a.view, .b = b.view}, c.view, {.bound = tw::certificate(row, k)});
    EXPECT_TRUE(verdict.ok) << name << ": " << verdict.sentence();
    EXPECT_EQ(tw::metal::Device::only().last_gpu_seconds(), 0.5);
}

TEST(Host, FindsItsDevice) {
    EXPECT_EQ(metal().devices(), 1);
    EXPECT_STREQ(metal().absence(), "");
    EXPECT_EQ(tw::metal::device_name(), "stand-in");
    EXPECT_TRUE(metal().select(0).is_ok());
    EXPECT_FALSE(metal().select(1).is_ok());
}

TEST(Host, MultipliesWithEachFamily) {
    for (const char* name :
         {"metal.r1_naive.f32", "metal.r3_tiled.f16", "metal.r6_vectorized.f32", "metal.r8_matrix_unit.f32",
          "metal.r9_plain_loads.f16", "metal.few_rows.f32", "metal.r8_matrix_unit.bf16"})
        expect_right(name);
}

TEST(Host, CompilesAFamilyOnceWithExactArithmetic) {
    expect_right("metal.r2_coalesced.f32");
    const std::size_t compiled = stand_in::state().compiled.size();
    expect_right("metal.r2_coalesced.f16");
    EXPECT_EQ(stand_in::state().compiled.size(), compiled);
    for (const auto& one : stand_in::state().compiled) {
        EXPECT_FALSE(one.loose_math);
        EXPECT_EQ(one.language, one.source.find("TW_BFLOAT\n#include") == std::string::npos &&
                                        one.source.rfind("#define TW_BFLOAT", std::string::npos) != std::string::npos
                                    ? 0x30001ul
                                    : 0x30000ul);
        EXPECT_EQ(one.source.find("#include \""), std::string::npos) << "our own headers are put in place";
    }
}

TEST(Host, TellsWhatTheCompilerRefuses) {
    stand_in::state().refuse = "__metal_simdgroup_async_copy_2d";
    EXPECT_EQ(metal().features() & tw::metal::async_copy, 0u);
    std::size_t refused = 0;
    for (const tw::metal::FamilyState& family : tw::metal::family_states()) {
        const bool copies = family.name == "r9_async_pipeline" || family.name == "loaders_async";
        EXPECT_EQ(family.refusal.find("illegal string literal") != std::string::npos, copies) << family.refusal;
        EXPECT_EQ(family.refusal.empty(), !copies) << family.name << ": " << family.refusal;
        EXPECT_STREQ(family.instead, family.name == "r9_async_pipeline" ? "r9_plain_loads"
                                     : copies                           ? "loaders_plain"
                                                                        : "");
        refused += !family.refusal.empty();
    }
    EXPECT_EQ(refused, 2u) << "one family that is refused takes no other with it";
    EXPECT_NE(metal().features() & tw::metal::simdgroup_matrices, 0u);
    EXPECT_NE(metal().features() & tw::metal::bfloat_type, 0u);
    const tw::Kernel& row = kernel("metal.r9_async_pipeline.f32");
    const Lent x(tw::Type::f32, 8, 8);
    EXPECT_EQ(row.run({.a = x.view, .b = x.view, .c = x.view}, row.tiles[0]).code, tw::Code::device_failed);
    stand_in::state().refuse.clear();
}

TEST(Host, RunsSeveralDispatchesInOneCommandEachSeeingTheLast) {
    const Lent from(tw::Type::f32, 1, 8192), between(tw::Type::f32, 1, 8192), to(tw::Type::f32, 1, 256);
    const auto floats = [](const Lent& lent) {
        return std::span(static_cast<float*>(lent.view.data), static_cast<std::size_t>(lent.view.cols));
    };
    std::iota(floats(from).begin(), floats(from).end(), 0.0f);
    stand_in::state().findings.clear();
    const tw::metal::uint loaders = 3;
    const tw::metal::Dispatch both[] = {
        tw::metal::loaders_dispatch("loaders_plain", floats(from), floats(between), loaders),
        tw::metal::loaders_dispatch("loaders_plain", floats(between), floats(to), loaders)};
    ASSERT_TRUE(tw::metal::launch(both).is_ok());
    for (const std::string& finding : stand_in::state().findings) ADD_FAILURE() << finding;
    EXPECT_TRUE(tw::metal::is_loaded_right(floats(from), floats(between)));
    EXPECT_TRUE(tw::metal::is_loaded_right(floats(between), floats(to)));
}

TEST(Host, MultipliesByMpsWhereThereIsOne) {
    for (const tw::Type type : {tw::Type::f32, tw::Type::f16}) {
        const Lent a(type, 9, 21), b(type, 21, 14), c(type, 9, 14);
        tw::reference::fill_operands(a.view, b.view, tw::reference::Fill::symmetric, 4);
        const tw::Status status = tw::metal::multiply_by_mps(a.view, b.view, c.view);
        ASSERT_TRUE(status.is_ok()) << status.text;
        const auto verdict = tw::reference::judge({.a = a.view, .b = b.view}, c.view, {.bound = 21 * 0x1p-24});
        EXPECT_TRUE(verdict.ok) << verdict.sentence();
    }
    EXPECT_STREQ(tw::metal::why_no_mps(), "");
    const Lent x(tw::Type::f32, 8, 8), narrow(tw::Type::bf16, 8, 8);
    tw::Matrix turned = x.view;
    std::swap(turned.row_step, turned.col_step);
    EXPECT_EQ(tw::metal::multiply_by_mps(turned, x.view, x.view).code, tw::Code::unsupported);
    EXPECT_EQ(tw::metal::multiply_by_mps(narrow.view, narrow.view, narrow.view).code, tw::Code::unsupported);
    float host[64] = {};
    const tw::Matrix outside{host, tw::Type::f32, 8, 8, 8};
    EXPECT_EQ(tw::metal::multiply_by_mps(x.view, outside, x.view).code, tw::Code::bad_argument);
    stand_in::state().has_mps = false;
    EXPECT_NE(std::string_view(tw::metal::why_no_mps()).find("MetalPerformanceShaders"), std::string_view::npos);
    EXPECT_EQ(tw::metal::multiply_by_mps(x.view, x.view, x.view).code, tw::Code::no_device);
    stand_in::state().has_mps = true;
}

TEST(Host, KnowsOlderDevices) {
    stand_in::state().family = 1005;
    EXPECT_EQ(metal().features(), 0u);
    stand_in::state().family = 1009;
}

TEST(Host, SaysWhatWentWrong) {
    const tw::Kernel& row = kernel("metal.r1_naive.f32");
    const Lent x(tw::Type::f32, 8, 8);
    stand_in::state().most_threads = 128;
    EXPECT_EQ(row.run({.a = x.view, .b = x.view, .c = x.view}, row.tiles[0]).code, tw::Code::unsupported);
    stand_in::state().most_threads = 1024;
    stand_in::state().gpu_fails = true;
    EXPECT_EQ(row.run({.a = x.view, .b = x.view, .c = x.view}, row.tiles[0]).code, tw::Code::device_failed);
    stand_in::state().gpu_fails = false;
    float host[64] = {};
    const tw::Matrix outside{host, tw::Type::f32, 8, 8, 8};
    EXPECT_EQ(row.run({.a = outside, .b = x.view, .c = x.view}, row.tiles[0]).code, tw::Code::bad_argument);
}

TEST(Host, KnowsItsOwnMemory) {
    const int before = stand_in::state().buffers;
    {
        const Lent x(tw::Type::f32, 8, 8);
        EXPECT_TRUE(tw::metal::owns(x.view.data));
        EXPECT_FALSE(tw::metal::owns(&before));
        EXPECT_EQ(stand_in::state().buffers, before + 1);
    }
    EXPECT_EQ(stand_in::state().buffers, before);
}

TEST(Host, CopiesAndFinishes) {
    const float values[] = {1, -2, 3, 4, 5, -6};
    const tw::Matrix host{const_cast<float*>(values), tw::Type::f32, 2, 3, 3};
    const Lent there(tw::Type::f16, 2, 3);
    ASSERT_TRUE(metal().copy(there.view, host, nullptr).is_ok());
    ASSERT_TRUE(metal().finish(there.view, 2, 0, {.activation = tw::Activation::relu}, nullptr).is_ok());
    float back[6];
    ASSERT_TRUE(metal().copy({back, tw::Type::f32, 2, 3, 3}, there.view, nullptr).is_ok());
    const float expected[] = {2, 0, 6, 8, 10, 0};
    EXPECT_EQ(std::memcmp(back, expected, sizeof back), 0);
}

}  // namespace
