// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How k is cut in slabs, and what their tree may add to an error.
#include "plan/slabs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "backend/contract.hpp"
#include "plan/eligibility.hpp"
#include "plan/registry.hpp"

namespace tw {
namespace {

std::vector<std::int64_t> lengths(std::int64_t k, int slabs) {
    std::vector<std::int64_t> found;
    std::int64_t next = 0;
    int last = -1;
    for_each_slab(k, slabs, [&](int number, std::int64_t first, std::int64_t length) {
        EXPECT_EQ(first, next);
        EXPECT_GT(number, last);
        next = first + length, last = number;
        found.push_back(length);
    });
    EXPECT_EQ(next, k);
    return found;
}

TEST(SlabsOfK, AreHalvesOfHalvesTheFirstTheLonger) {
    EXPECT_EQ(lengths(13, 4), (std::vector<std::int64_t>{4, 3, 3, 3}));
    EXPECT_EQ(lengths(14, 4), (std::vector<std::int64_t>{4, 3, 4, 3}));
    EXPECT_EQ(lengths(64, 8), std::vector<std::int64_t>(8, 8));
    EXPECT_EQ(lengths(5, 8), std::vector<std::int64_t>(5, 1));
    EXPECT_EQ(lengths(7, 1), std::vector<std::int64_t>{7});
    for (std::int64_t k = 1; k < 200; ++k)
        for (int slabs = 1; slabs <= 64; slabs *= 2)
            for (const std::int64_t length : lengths(k, slabs)) {
                EXPECT_LE(length, longest_slab(k, slabs));
                EXPECT_GE(length, std::max<std::int64_t>(1, shortest_slab(k, slabs)));
            }
}

TEST(SlabsOfK, OfAPartAreThoseWithinTheWhole) {
    for (std::int64_t k = 2; k < 120; ++k) {
        std::vector<std::int64_t> parts = lengths((k + 1) / 2, 8);
        for (const std::int64_t length : lengths(k / 2, 8)) parts.push_back(length);
        EXPECT_EQ(parts, lengths(k, 16)) << k;
    }
}

/// A row that keeps a promise for each slab keeps it for the whole, with one rounding a level of the tree.
TEST(SlabsOfK, KeepThePromiseThatEachOfThemKeeps) {
    int kept = 0;
    for (const char* name : {"cpu", "cpu-check", "cuda"})
        for (const Kernel* kernel : find_backend(name)->ladder)
            for (const Accuracy accuracy : {Accuracy(), fp32_elementwise, tf32, bf16, Accuracy(1e-4), Accuracy(2e-6)})
                for (int slabs = 2; slabs <= most_slabs; slabs *= 2)
                    for (const std::int64_t length : {1, 2, 3, 7, 16, 31, 33, 64, 200, 1000, 8192}) {
                        if (kernel->order == 0) continue;
                        const Problem whole{
                            .k = length * slabs, .in = kernel->in, .out = kernel->in, .accuracy = accuracy};
                        if (!keeps_promise(*kernel, problem_of_slab(whole, slabs, length))) continue;
                        const double unit = part_of(kernel->in) == Type::f64 ? unit_f64 : unit_f32;
                        const double own = certificate(*kernel, length),
                                     tree = gamma(std::countr_zero(static_cast<unsigned>(slabs)), unit);
                        EXPECT_LE(own + tree + own * tree, promise(accuracy, kernel->in, whole.k))
                            << kernel->name << ", " << slabs << " slabs of " << length;
                        ++kept;
                    }
    EXPECT_GT(kept, 1000);
}

}  // namespace
}  // namespace tw
