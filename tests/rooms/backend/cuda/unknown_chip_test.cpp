// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder on chips that its costs were not measured on: small ones, large ones, others than Hopper.
#include <gtest/gtest.h>

#include <cmath>

#include "backend/cuda/device/entry.hpp"
#include "plan/eligibility.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::Backend* tilewright_cuda_backend(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

constexpr test::Chip chips[] = {{9, 0, 132}, {9, 0, 1},   {9, 0, 46}, {9, 0, 132, false},
                                {8, 0, 108}, {8, 9, 142}, {8, 6, 16}, {12, 0, 188}};

class UnknownChip : public test::OnFakeRuntime {
protected:
    /// The cheapest row of those that the chip can run and that keep the promise; null: none.
    const Kernel* cheapest(const Problem& problem) const {
        const Kernel* best = nullptr;
        for (const Kernel* kernel : backend.ladder)
            if (can_run(backend, *kernel, problem) && keeps_promise(*kernel, problem) &&
                (!best || kernel->nanoseconds(problem, 1) < best->nanoseconds(problem, 1)))
                best = kernel;
        return best;
    }
    static Problem square(std::int64_t n, Type type) {
        return {.m = n, .n = n, .k = n, .in = type, .out = type, .place = Place::cuda};
    }
    const Backend& backend = *tilewright_cuda_backend(cuda::contract_stamp);
};

TEST_F(UnknownChip, EveryCostIsATimeThatGrowsWithTheProduct) {
    for (const test::Chip& chip : chips) {
        test::pretend(chip);
        for (const Kernel* kernel : backend.ladder)
            for (const std::int64_t n : {1, 8, 100, 1024, 20000}) {
                const Problem small = square(n, kernel->in);
                if (kernel->takes && !kernel->takes(small)) continue;
                Problem longer = small;
                longer.k *= 2;
                const double cost = kernel->nanoseconds(small, 1);
                EXPECT_TRUE(std::isfinite(cost) && cost > 0) << kernel->name << ", n " << n << ": " << cost;
                EXPECT_GE(kernel->nanoseconds(longer, 1), cost) << kernel->name << ", n " << n;
            }
    }
}

// What a chip has not got is not chosen; what is chosen for a large product is the top of the ladder.
TEST_F(UnknownChip, ALargeProductGetsARowFromTheTopThatTheChipHas) {
    for (const test::Chip& chip : chips) {
        test::pretend(chip);
        for (const Type type : {Type::f64, Type::f32, Type::f16, Type::bf16}) {
            const Kernel* const kernel = cheapest(square(8192, type));
            ASSERT_TRUE(kernel) << chip.major << '.' << chip.minor;
            EXPECT_GE(kernel->rung, Rung::vectorized) << kernel->name;
            EXPECT_EQ(kernel->needs & ~backend.features(), 0u) << kernel->name;
        }
    }
}

TEST_F(UnknownChip, EveryRowIsLaunchedWhateverTheNumberOfMultiprocessors) {
    for (const test::Chip& chip : chips) {
        test::pretend(chip);
        for (const Kernel* kernel : backend.ladder) {
            const Status status = test::product(*kernel);
            EXPECT_TRUE(status) << kernel->name << " on " << chip.multiprocessors << ": " << status.text;
        }
    }
}

}  // namespace
