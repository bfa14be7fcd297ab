// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The accuracy dial: what each name promises, and its spelling.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "reference/random.hpp"
#include "scheme/scheme.hpp"
#include "tilewright/options.hpp"

namespace {

using namespace tw;

std::string spelled(Accuracy accuracy) {
    char text[64];
    const int length = spell(accuracy, text, sizeof text);
    return {text, static_cast<std::size_t>(length)};
}

TEST(Promise, IsGammaOfThePlainSum) {
    for (const std::int64_t k : {32, 33, 100, 4096, 1 << 20}) {
        const double n = static_cast<double>(k) + 2;
        EXPECT_EQ(promise(fp32, Type::f32, k), n * unit_f32 / (1 - n * unit_f32)) << k;
        EXPECT_EQ(promise(fp64, Type::f64, k), n * unit_f64 / (1 - n * unit_f64)) << k;
    }
}

TEST(Promise, IsTheSameForEveryShortSum) {
    for (const Accuracy accuracy : {fp32, fp64, tf32, bf16, fp16, fp32_elementwise})
        for (const std::int64_t k : {0, 1, 2, 31})
            EXPECT_EQ(promise(accuracy, Type::f32, k), promise(accuracy, Type::f32, 32));
}

TEST(Promise, GrowsWithK) {
    for (const Accuracy accuracy : {fp32, fp64, tf32, bf16, fp16, fp32_elementwise})
        for (std::int64_t k = 32; k < (1 << 20); k *= 2)
            EXPECT_LT(promise(accuracy, Type::f32, k), promise(accuracy, Type::f32, 2 * k))
                << spelled(accuracy) << " " << k;
}

TEST(Promise, OrdersTheNames) {
    for (const std::int64_t k : {1, 32, 1000, 100000}) {
        EXPECT_LT(promise(fp64, Type::f64, k), promise(fp32, Type::f32, k));
        EXPECT_LE(promise(fp32_elementwise, Type::f32, k), promise(fp32, Type::f32, k));
        EXPECT_LT(promise(fp32, Type::f32, k), promise(tf32, Type::f32, k));
        EXPECT_EQ(promise(tf32, Type::f32, k), promise(fp16, Type::f32, k));
        EXPECT_LT(promise(tf32, Type::f32, k), promise(bf16, Type::f32, k));
    }
}

TEST(Promise, OfATruncatedTypeIsTwoRoundingsAndTheSum) {
    const double sum = promise(fp32, Type::f32, 64);
    EXPECT_DOUBLE_EQ(promise(tf32, Type::f32, 64) - sum, 0x1p-10 + 0x1p-22);
    EXPECT_DOUBLE_EQ(promise(bf16, Type::f32, 64) - sum, 0x1p-7 + 0x1p-16);
}

TEST(Promise, OfANumberIsTheNumber) {
    EXPECT_EQ(promise(Accuracy(3e-6), Type::f32, 1), 3e-6);
    EXPECT_EQ(promise(Accuracy(3e-6), Type::f64, 1 << 20), 3e-6);
}

TEST(Promise, ThatHoldsElementwiseAllowsNoFlushLoss) {
    for (const Accuracy accuracy : {fp64, fp32_elementwise, Accuracy(1e-3)}) EXPECT_FALSE(allows_flush_loss(accuracy));
    for (const Accuracy accuracy : {fp32, tf32, bf16, fp16}) EXPECT_TRUE(allows_flush_loss(accuracy));
}

TEST(Promise, OfNobodyIsTheOperandsOwn) {
    EXPECT_EQ(resolve({}, Type::f64), fp64);
    for (const Type narrow : {Type::f32, Type::f16, Type::bf16}) EXPECT_EQ(resolve({}, narrow), fp32);
    EXPECT_EQ(resolve(bf16, Type::f64), bf16);
    EXPECT_EQ(promise({}, Type::f64, 100), promise(fp64, Type::f64, 100));
    EXPECT_EQ(promise({}, Type::bf16, 100), promise(fp32, Type::bf16, 100));
}

TEST(Spelling, OfEveryNameComesBack) {
    for (const Accuracy accuracy : {Accuracy{}, fp64, fp32, fp32_elementwise, tf32, bf16, fp16}) {
        Accuracy read(0.5);
        ASSERT_TRUE(parse_accuracy(spelled(accuracy), read)) << spelled(accuracy);
        EXPECT_EQ(read, accuracy);
    }
    EXPECT_EQ(spelled(fp32_elementwise), "fp32_elementwise");
}

TEST(Spelling, OfEveryNumberComesBackToTheBit) {
    reference::Random random(5);
    for (int i = 0; i < 10000; ++i) {
        const Accuracy number(std::exp2(random.between(-1000, 1000)));
        Accuracy read;
        ASSERT_TRUE(parse_accuracy(spelled(number), read)) << spelled(number);
        ASSERT_EQ(read, number);
    }
}

TEST(Spelling, OfNothingElseIsRead) {
    for (const char* text : {"", "fp", "fp33", "FP32", "fp32 ", " fp32", "0", "-1e-3", "nan", "1e-3x", "1e-3 ", "--",
                             "0x", "1e999", "inf", "infinity"}) {
        Accuracy read = tf32;
        EXPECT_FALSE(parse_accuracy(text, read)) << '"' << text << '"';
        EXPECT_EQ(read, tf32) << "what is refused changes nothing";
    }
}

TEST(Spelling, StaysInItsBuffer) {
    char text[8] = "#######";
    spell(fp32_elementwise, text, 4);
    EXPECT_EQ(std::string(text, 4), std::string("fp3\0", 4));
    EXPECT_EQ(text[4], '#');
}

}  // namespace
