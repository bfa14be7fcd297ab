// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a product is checked where its operands lie, by a device that is played: its memory is the host's, its kernel
// spoils an element when it is told to. What a device's own sums are is tested beside its kernels.
#include <new>
#include <string_view>

#include "backend/contract.hpp"
#include "base/element.hpp"
#include "multiply/freivalds.hpp"
#include "multiply/verify.hpp"
#include "multiply/verify_on_device.hpp"
#include "plan/operands.hpp"
#include "plan/registry.hpp"
#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

int spoilt_runs = 0, runs = 0, copies = 0;
bool sums_are_silent = false;
std::size_t most_memory = 0;

tw::Status run_spoilt(const tw::Call& call, const tw::Tile& tile) {
    const tw::Status status = tw::find_backend("cpu")->ladder.front()->run(call, tile);
    if (runs++ < spoilt_runs) tw::typed<float>(call.c)(call.m() / 2, call.n() / 3) += 100;
    return status;
}

/// Its memory is a copy of C as it is expected.
tw::Status expect_right(const tw::SumsOf& p, std::span<std::byte> memory, void*) {
    const tw::Matrix right{memory.data(), p.c.type, p.c.rows, p.c.cols, p.c.cols};
    tw::convert(right, p.c);
    return tw::try_multiply(p.a, p.b, right, {.alpha = p.alpha, .beta = p.beta, .kernel = "r1_naive"});
}
tw::Status compare_all(const tw::SumsOf& p, const tw::Allowance& allowed, std::span<std::byte> memory, void*,
                       tw::SumsOff& found) {
    EXPECT_GT(allowed.of_sizes, 0);
    EXPECT_LE(p.c.cols, p.c.rows) << "the shorter lines";
    found = {false, sums_are_silent};
    for (std::int64_t i = 0; i < p.c.rows * p.c.cols; ++i)
        found.off |= tw::load_element(p.c, i / p.c.cols, i % p.c.cols) !=
                     static_cast<double>(reinterpret_cast<const float*>(memory.data())[i]);
    return {};
}
constexpr tw::ProductSums played_sums{
    [](std::int64_t m, std::int64_t) { return static_cast<std::size_t>(m * m) * sizeof(float); }, expect_right,
    compare_all};

tw::Backend played_device() {
    tw::Backend device = *tw::find_backend("cpu");
    device.scratch = [](std::size_t bytes, void*) -> std::span<std::byte> {
        static std::vector<std::byte> memory;
        if (bytes > most_memory) return {};
        memory.resize(std::max(memory.size(), bytes));
        return memory;
    };
    device.copy = [](const tw::Matrix& to, const tw::Matrix& from, void*) {
        ++copies;
        tw::convert(to, from);
        return tw::Status{};
    };
    device.wait = [](void*) { return tw::Status{}; };
    return device;
}

struct Played {
    Product<float> p{17, 11, 29};
    tw::Backend device = played_device();
    tw::Kernel kernel = *device.ladder.front();
    tw::Plan plan, second;
    std::vector<float> right;

    Played(double beta, tw::Verify level) {
        p.c.assign(p.c.size(), 3);
        Product<float> plain = p;
        plain.run("r1_naive", {.beta = beta});
        right = plain.c;
        const tw::Options options{.beta = beta, .verify = level, .kernel = "r1_naive"};
        plan = tw::plan(tw::problem_of(erase(p.av()), erase(p.bv()), erase(p.cv()), options), options);
        second = plan;
        kernel.run = run_spoilt, plan.kernel = &kernel, plan.backend = &device;
        runs = copies = 0, sums_are_silent = false, most_memory = 1 << 20;
    }
    tw::Status run(int spoilt, tw::Corrections& done) {
        spoilt_runs = spoilt;
        return tw::run_until_right_on_device(plan, second, erase(p.av()), erase(p.bv()), erase(p.cv()), nullptr,
                                             played_sums, done);
    }
};

TEST(VerifiedThere, IsMadeAgainOnceAndThenSettledOnTheHost) {
    for (const tw::Verify level : {tw::Verify::check, tw::Verify::correct})
        for (const double beta : {0.0, 2.0})
            for (const int spoilt : {0, 1, 2, 100}) {
                Played played(beta, level);
                tw::Corrections done;
                ASSERT_TRUE(played.run(spoilt, done)) << spoilt;
                EXPECT_TRUE(same_bits(played.p.c, played.right)) << beta << ", spoilt " << spoilt;
                EXPECT_EQ(done.whole, spoilt == 1);
                EXPECT_EQ(done.made_again > 0, spoilt > 0);
                EXPECT_TRUE(spoilt > 1 || runs == 1 + spoilt);
                EXPECT_TRUE(spoilt > 1 || copies == (beta == 0 ? 0 : 1 + spoilt)) << copies;
            }
}

TEST(VerifiedThere, WhatSumsCannotTellIsSettledOnTheHost) {
    for (const double beta : {0.0, 2.0}) {
        Played played(beta, tw::Verify::correct);
        sums_are_silent = true;
        tw::Corrections done;
        ASSERT_TRUE(played.run(0, done));
        EXPECT_TRUE(same_bits(played.p.c, played.right));
        EXPECT_EQ(runs, 2);
        EXPECT_EQ(done.made_again, 0);
    }
}

TEST(VerifiedThere, FailsWithTheDevice) {
    Played played(2.0, tw::Verify::correct);
    most_memory = 100;
    tw::Corrections done;
    EXPECT_EQ(played.run(0, done).code, tw::Code::out_of_memory);
    EXPECT_EQ(runs, 0);
    most_memory = 1 << 20;
    played.device.copy = [](const tw::Matrix&, const tw::Matrix&, void*) {
        return tw::Status{tw::Code::device_failed, tw::Argument::none, "it is gone"};
    };
    EXPECT_EQ(played.run(0, done).code, tw::Code::device_failed);
    EXPECT_EQ(runs, 0);
}

TEST(VerifiedThere, IsRefusedWithoutSums) {
    Played played(0, tw::Verify::check);
    EXPECT_EQ(tw::can_verify_on_device(played.plan, nullptr).code, tw::Code::unsupported) << "a CPU has no such sums";
}

/// Fused into a device's kernel for 16 bits, an epilogue has bits of its own: gelu and silu have shorter forms there.
TEST(VerifiedThere, IsRefusedWhereTheEpilogueWouldHaveOtherBits) {
    for (const tw::Type in : {tw::Type::f16, tw::Type::bf16, tw::Type::f32})
        for (const tw::Type out : {in, tw::Type::f32})
            for (const bool is_fused : {false, true})
                for (const bool there : {false, true}) {
                    Played played(2.0, tw::Verify::check);
                    played.kernel.in = in, played.kernel.out = out, played.kernel.fuses_epilogue = is_fused;
                    played.plan.problem.in = in, played.plan.problem.out = out;
                    played.plan.options.epilogue = tw::relu();
                    spoilt_runs = 0;
                    if (there) played.device.place = played.plan.problem.place = tw::Place::cuda;
                    const tw::Status status = tw::run_verified(played.plan, played.second, erase(played.p.av()),
                                                               erase(played.p.bv()), erase(played.p.cv()), nullptr);
                    const bool is_refused = is_fused && (out != tw::Type::f32 || (there && in != tw::Type::f32));
                    EXPECT_EQ(std::string_view(status.text).find("other bits") != std::string_view::npos, is_refused)
                        << tw::name_of(in) << " to " << tw::name_of(out) << ": " << status.text;
                    EXPECT_TRUE(!is_refused || runs == 0);
                }
}

}  // namespace
}  // namespace rules
