// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// TW_DEVICE=auto: whose turn a product is, without a GPU. Calls are counted for a whole process: each test has sizes of
// its own.
#include "blas/crossover.hpp"

#include <gtest/gtest.h>

namespace tw::blas {
namespace {

Crossing next(Type type, std::int64_t rows) {
    constexpr std::int64_t side = 256;
    return {{nullptr, type, rows, side, side}, {nullptr, type, rows, side, side}};
}

Where place_of(Type type, std::int64_t rows) {
    Crossing crossing = next(type, rows);
    crossing.ended(true);
    return crossing.where();
}

TEST(Crossover, EachTypeAndEachPowerOfTwoBeginsHereAndIsTriedThereTwice) {
    for (const Type type : {Type::f32, Type::f64})
        for (const std::int64_t rows : {256, 512, 1024 + 3}) {
            EXPECT_EQ(place_of(type, rows), Where::cpu) << rows;
            EXPECT_EQ(place_of(type, rows), Where::gpu_unmeasured) << rows;
            EXPECT_EQ(place_of(type, rows + 1), Where::gpu) << "of as many bits: " << rows;
        }
}

TEST(Crossover, AGpuThatFailedIsNotAskedAgain) {
    constexpr std::int64_t rows = 4096;
    EXPECT_EQ(place_of(Type::f32, rows), Where::cpu);
    Crossing failing = next(Type::f32, rows);
    EXPECT_EQ(failing.where(), Where::gpu_unmeasured);
    failing.ended(false);
    for (int call = 0; call < 4; ++call) EXPECT_EQ(place_of(Type::f32, rows), Where::cpu) << call;
}

TEST(Crossover, SmallProductsStayHere) {
    for (int call = 0; call < 4; ++call) EXPECT_EQ(place_of(Type::f32, 255), Where::cpu) << call;
}

}  // namespace
}  // namespace tw::blas
