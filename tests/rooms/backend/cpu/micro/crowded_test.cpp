// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a product takes whose A the caches have no place for.
#include "backend/cpu/micro/crowded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

using namespace tw;
using namespace tw::cpu;

TEST(Crowded, AnAThatFillsHalfOfL3IsReadAgainForEachStripButTheFirst) {
    const MicroKernel<float>& kernel = micro_portable_f32;
    constexpr std::int64_t k = 64, row = k * std::int64_t{sizeof(float)};
    const std::int64_t strip = kernel.widths[kernel.low], l3 = l3_for_rows(kernel);
    const std::int64_t half = (l3 / 2 + row - 1) / row;  // rows
    const auto reading = [&](std::int64_t m, std::int64_t n) {
        Problem turned{.m = n, .n = m, .k = k};
        turned.c = Form::col_major;
        const double took = reading_again(kernel, Problem{.m = m, .n = n, .k = k});
        EXPECT_EQ(reading_again(kernel, turned), took) << m << ", " << n;
        return took;
    };
    EXPECT_EQ(reading(half - 1, 9 * strip), 0) << "it stays there";
    EXPECT_EQ(reading(half, strip), 0);
    const double once = reading(half, strip + 1);
    EXPECT_GT(once, 0);
    EXPECT_DOUBLE_EQ(reading(half, 2 * strip), once);
    EXPECT_DOUBLE_EQ(reading(half, 5 * strip), 4 * once);
}

#if defined(__x86_64__)
TEST(Crowded, SomeRowsTakeProductsAndBytesOfB) {
    const MicroKernel<float>& kernel = micro_avx2_f32;
    const auto strips = [&](std::int64_t m, std::int64_t n, Form b) {
        return strips_by_lines(kernel, {.m = m, .n = n, .k = 300, .b = b});
    };
    for (const Form b : {Form::row_major, Form::col_major})
        EXPECT_DOUBLE_EQ(strips(40, 1000, b) - strips(20, 1000, b), strips(70, 1000, b) - strips(50, 1000, b));
    EXPECT_GT(strips(20, 1000, Form::col_major), strips(20, 1000, Form::row_major)) << "turned";
    EXPECT_GT(strips(20, 1024, Form::row_major), 1.2 * strips(20, 1000, Form::row_major)) << "lines fight for a set";
    EXPECT_EQ(strips_by_lines(kernel, {.m = 1000, .n = 20, .k = 300, .c = Form::col_major}),
              strips(20, 1000, Form::col_major))
        << "C's rows, however it lies";
}

TEST(Crowded, AnAByColumnsCostsMoreOnACoreThatSplitsVectorsUnlessItIsSmall) {
    const MicroKernel<double>& kernel = micro_avx2_f64;
    const std::int64_t small = 2 * caches().l1.bytes / 64 / 8;  // rows, 64 steps of k
    const auto longer = [&](std::int64_t m, std::int64_t n, Form a, bool stays_near) {
        return by_columns(kernel, {.m = m, .n = n, .k = 64, .a = a}, stays_near);
    };
    EXPECT_EQ(longer(10 * small, 40, Form::row_major, false), 1);
    EXPECT_EQ(longer(small, 40, Form::col_major, false), 1);
    EXPECT_EQ(longer(10 * small, 16, Form::col_major, false), 1);
    if (!cpu_core().splits_vectors()) {
        EXPECT_EQ(longer(100 * small, 40, Form::col_major, false), 1);
        return;
    }
    EXPECT_GT(longer(10 * small, 40, Form::col_major, true), 1);
    EXPECT_GT(longer(100 * small, 40, Form::col_major, false), longer(small + 1, 40, Form::col_major, false));
}
#endif

}  // namespace
