// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What encoding says of itself: the squares that a product's expected error is reckoned from.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "formats/buckets.hpp"
#include "formats/planes.hpp"

namespace tw::effort {
namespace {

TEST(EncodedBuckets, HaveTheLargestFirstAndItsSquareToo) {
    constexpr BucketsTile tile{.inputs = 1, .buckets = 1, .bucket = 16};
    std::vector<float> w(16, 1.f);
    w[5] = 8, w[9] = -4;
    std::vector<std::byte> rows(static_cast<std::size_t>(tile.bytes()));
    std::vector<double> squares(16), missed(16);
    encode_buckets(w.data(), 16, false, tile, 0, rows.data(), squares.data(), missed.data());
    EXPECT_EQ(squares[0], 64);
    EXPECT_EQ(squares[1], 16);
    for (int rank = 2; rank < 16; ++rank) EXPECT_EQ(squares[static_cast<std::size_t>(rank)], 1) << rank;
    std::uint16_t largest = 0;
    std::memcpy(&largest, rows.data(), sizeof largest);
    EXPECT_NEAR(bucket_value(largest, 16, false), 8, 0.1);
    for (const double square : missed) EXPECT_LT(square, 0.01);
}

TEST(PlanesSums, WhatIsLeftIsTheSquareOfTheErrorWithTheBestGain) {
    const double w[] = {3, -1, 2}, read[3][3] = {{2, -1, 1}, {3, 0, 2}, {2.5, -1.5, 2}};
    PlanesSums sums;
    for (int i = 0; i < 3; ++i) {
        sums.square += w[i] * w[i];
        for (int planes = 0; planes < 3; ++planes) {
            sums.product[planes] += w[i] * read[planes][i];
            sums.read_square[planes] += read[planes][i] * read[planes][i];
        }
    }
    EXPECT_EQ(sums.left(0), 14);
    for (int planes = 1; planes <= 3; ++planes) {
        const auto gain = static_cast<double>(sums.gain(planes));
        double left = 0;
        for (int i = 0; i < 3; ++i) left += (w[i] - gain * read[planes - 1][i]) * (w[i] - gain * read[planes - 1][i]);
        EXPECT_NEAR(sums.left(planes), left, 1e-12) << planes;
    }
}

}  // namespace
}  // namespace tw::effort
