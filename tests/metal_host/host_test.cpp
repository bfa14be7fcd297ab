// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The host code of the Metal backend, unchanged, against the stand-in: what a Mac would be asked to do is done by the
// executor, and judged.
#include <gtest/gtest.h>

#include <cstring>
#include <string_view>

#include "backend/metal/backend.hpp"
#include "backend/metal/device.hpp"
#include "metal_host/stand_in.hpp"
#include "reference/fill.hpp"
#include "reference/judge.hpp"

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
    const std::int64_t m = row.rung == tw::Rung::split ? 7 : 45, n = 71, k = 38;
    const Lent a(row.in, m, k), b(row.in, k, n), c(row.out, m, n);
    tw::reference::fill_operands(a.view, b.view, tw::reference::Fill::symmetric, 4);
    stand_in::state().findings.clear();
    const tw::Status status = row.run({.a = a.view, .b = b.view, .c = c.view}, row.tiles[0]);
    ASSERT_TRUE(status.is_ok()) << name << ": " << status.text << ' ' << tw::metal::refusal_of("bfloat");
    for (const std::string& finding : stand_in::state().findings) ADD_FAILURE() << finding;
    const auto verdict = tw::reference::judge({.a = a.view, .b = b.view}, c.view, {.bound = tw::certificate(row, k)});
    EXPECT_TRUE(verdict.ok) << name << ": " << verdict.sentence();
    EXPECT_EQ(tw::metal::Device::only().last_gpu_seconds(), 0.5);
}

TEST(Host, FindsItsDevice) {
    EXPECT_EQ(metal().devices(), 1);
    EXPECT_STREQ(metal().absence(), "");
    EXPECT_EQ(tw::metal::Device::only().name(), "stand-in");
    EXPECT_TRUE(metal().select(0).is_ok());
    EXPECT_FALSE(metal().select(1).is_ok());
}

TEST(Host, MultipliesWithEachFamily) {
    for (const char* name :
         {"metal.r1_naive.f32", "metal.r3_tiled.f16", "metal.r6_vectorized.f32", "metal.r8_matrix_unit.f32",
          "metal.r9_plain_loads.f16", "metal.r10_split.f32", "metal.r8_matrix_unit.bf16"})
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
    EXPECT_NE(std::string_view(tw::metal::refusal_of("r9_async_pipeline")).find("illegal string literal"),
              std::string_view::npos);
    EXPECT_NE(metal().features() & tw::metal::simdgroup_matrices, 0u);
    EXPECT_NE(metal().features() & tw::metal::bfloat_type, 0u);
    const tw::Kernel& row = kernel("metal.r9_async_pipeline.f32");
    const Lent x(tw::Type::f32, 8, 8);
    EXPECT_EQ(row.run({.a = x.view, .b = x.view, .c = x.view}, row.tiles[0]).code, tw::Code::device_failed);
    stand_in::state().refuse.clear();
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
    ASSERT_TRUE(metal().finish(there.view, 2, {.activation = tw::Activation::relu}, nullptr).is_ok());
    float back[6];
    ASSERT_TRUE(metal().copy({back, tw::Type::f32, 2, 3, 3}, there.view, nullptr).is_ok());
    const float expected[] = {2, 0, 6, 8, 10, 0};
    EXPECT_EQ(std::memcmp(back, expected, sizeof back), 0);
}

}  // namespace
