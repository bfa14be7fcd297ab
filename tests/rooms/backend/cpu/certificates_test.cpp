// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What rows of the CPU say that their sums lose. A complex product of a single term is rounded five times on its
// longest path, whatever the row: two real products that are added, a complex alpha, and C.
#include <gtest/gtest.h>

#include "backend/cpu/backend.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "tilewright/types.hpp"

namespace {

using namespace tw;

TEST(Certificate, OfComplexNumbersHasTheRoundingsOfASingleTermAndMoreOfMore) {
    int rows = 0;
    for (const Kernel* kernel : cpu::backend().ladder) {
        if (!is_complex(kernel->in)) continue;
        const double unit = part_of(kernel->in) == Type::f32 ? unit_f32 : unit_f64;
        EXPECT_GE(kernel->sum_bound(1), 5 * unit) << kernel->name;
        for (const std::int64_t k : {2, 3, 16, 1000})
            EXPECT_GE(kernel->sum_bound(k), kernel->sum_bound(k - 1)) << kernel->name << ", k " << k;
        ++rows;
    }
    EXPECT_GE(rows, 10);
}

}  // namespace
