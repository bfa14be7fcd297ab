// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Every narrow number, and f32 numbers around every edge of rounding, in runs of every length up to some vectors: the
// bits of rounding.hpp, and nothing written beside the run.
#include "base/narrow_runs.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "base/element.hpp"
#include "base/float_mode.hpp"
#include "base/rounding.hpp"

namespace {

using namespace tw;

constexpr std::int64_t guard = 0x5a5a;

template <class Narrow>
class NarrowRun : public testing::Test {};
using Narrows = testing::Types<float16, bfloat16>;
TYPED_TEST_SUITE(NarrowRun, Narrows);

template <class Narrow>
Narrow rounded(float x) {
    if constexpr (std::is_same_v<Narrow, float16>) return to_float16(x);
    else return to_bfloat16(x);
}

TYPED_TEST(NarrowRun, WidensEveryNumberAsOneByOne) {
    std::vector<TypeParam> all(0x10000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i].bits = static_cast<std::uint16_t>(i);
    std::vector<float> wide(all.size());
    widen_run(type_of<TypeParam>, all.data(), 0x10000, wide.data());
    for (std::size_t i = 0; i < all.size(); ++i)
        ASSERT_EQ(std::bit_cast<std::uint32_t>(wide[i]), std::bit_cast<std::uint32_t>(widen(all[i]))) << i;
}

TYPED_TEST(NarrowRun, RoundsAsOneByOne) {
    const IeeeMode mode;
    std::vector<float> wide;
    for (std::uint32_t high = 0; high < 0x10000; high += 1)
        for (const std::uint32_t low : {0x0000u, 0x0fffu, 0x1000u, 0x1001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
            wide.push_back(std::bit_cast<float>(high << 16 | low));
    std::vector<TypeParam> narrow(wide.size());
    round_run(type_of<TypeParam>, wide.data(), static_cast<std::int64_t>(wide.size()), narrow.data());
    for (std::size_t i = 0; i < wide.size(); ++i)
        ASSERT_EQ(narrow[i].bits, rounded<TypeParam>(wide[i]).bits) << std::bit_cast<std::uint32_t>(wide[i]);
}

TYPED_TEST(NarrowRun, TakesRunsOfEveryLength) {
    for (std::int64_t count = 0; count < 36; ++count) {
        std::vector<float> wide(40, 7.0f), back(40, 7.0f);
        std::vector<TypeParam> narrow(40, TypeParam{guard});
        for (std::int64_t i = 0; i < count; ++i) wide[static_cast<std::size_t>(i)] = 0.1f * static_cast<float>(i);
        round_run(type_of<TypeParam>, wide.data(), count, narrow.data());
        widen_run(type_of<TypeParam>, narrow.data(), count, back.data());
        for (std::int64_t i = 0; i < 40; ++i) {
            const auto at = static_cast<std::size_t>(i);
            EXPECT_EQ(narrow[at].bits, i < count ? rounded<TypeParam>(wide[at]).bits : guard) << count << " " << i;
            EXPECT_EQ(back[at], i < count ? widen(narrow[at]) : 7.0f) << count << " " << i;
        }
    }
}

TYPED_TEST(NarrowRun, TakesMatricesThatLieInAnyWay) {
    constexpr std::int64_t rows = 5, cols = 19;
    const Type type = type_of<TypeParam>;
    for (const bool from_columns : {false, true})
        for (const bool to_columns : {false, true}) {
            std::vector<float> wide(rows * 32, 0.0f), back(rows * 32, 0.0f);
            std::vector<TypeParam> narrow(rows * 32);
            const auto lie = [&](void* data, Type of, bool columns) {
                return Matrix{data, of, rows, cols, columns ? 1 : 21, columns ? 7 : 1};
            };
            const Matrix source = lie(wide.data(), Type::f32, from_columns),
                         middle = lie(narrow.data(), type, to_columns),
                         result = lie(back.data(), Type::f32, from_columns);
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < cols; ++j)
                    store_element(source, i, j, static_cast<double>(i) + 0.25 * static_cast<double>(j));
            round_matrix(middle, source);
            widen_matrix(result, middle);
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < cols; ++j)
                    EXPECT_EQ(load_element(result, i, j), load_element(source, i, j)) << i << " " << j;
        }
}

}  // namespace
