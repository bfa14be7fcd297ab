// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 to bf16, tf32 and f16: bits in, bits out, written down by hand from the formats.
#include "base/rounding.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/f32_rounding.hpp"

namespace {

using namespace tw;

struct Golden {
    const char* what;
    std::uint32_t f32, tf32;
    std::uint16_t bf16, f16;
};

constexpr Golden table[] = {
    {"0", 0x00000000, 0x00000000, 0x0000, 0x0000},
    {"-0", 0x80000000, 0x80000000, 0x8000, 0x8000},
    {"1", 0x3f800000, 0x3f800000, 0x3f80, 0x3c00},
    {"-2", 0xc0000000, 0xc0000000, 0xc000, 0xc000},
    {"1/3", 0x3eaaaaab, 0x3eaaa000, 0x3eab, 0x3555},
    {"pi", 0x40490fdb, 0x40490000, 0x4049, 0x4248},
    {"1 + 2^-23", 0x3f800001, 0x3f800000, 0x3f80, 0x3c00},
    // Ties in bf16: half a step is 0x8000.
    {"bf16: tie above an even", 0x3f808000, 0x3f808000, 0x3f80, 0x3c04},
    {"bf16: just above that tie", 0x3f808001, 0x3f808000, 0x3f81, 0x3c04},
    {"bf16: just below that tie", 0x3f807fff, 0x3f808000, 0x3f80, 0x3c04},
    {"bf16: tie above an odd", 0x3f818000, 0x3f818000, 0x3f82, 0x3c0c},
    {"bf16: tie that carries into the exponent", 0x3fff8000, 0x3fff8000, 0x4000, 0x3ffc},
    // Ties in tf32 and f16: half a step is 0x1000.
    {"tf32: tie above an even", 0x3f801000, 0x3f800000, 0x3f80, 0x3c00},
    {"tf32: just above that tie", 0x3f801001, 0x3f802000, 0x3f80, 0x3c01},
    {"tf32: tie above an odd", 0x3f803000, 0x3f804000, 0x3f80, 0x3c02},
    {"tf32: just below that tie", 0x3f802fff, 0x3f802000, 0x3f80, 0x3c01},
    {"tf32: tie that carries into the exponent", 0x3ffff000, 0x40000000, 0x4000, 0x4000},
    {"negative tie", 0xbf803000, 0xbf804000, 0xbf80, 0xbc02},
    // The upper ends.
    {"65504, the largest f16", 0x477fe000, 0x477fe000, 0x4780, 0x7bff},
    {"65519.996, the last that stays finite in f16", 0x477fefff, 0x477fe000, 0x4780, 0x7bff},
    {"65520, the first that does not", 0x477ff000, 0x47800000, 0x4780, 0x7c00},
    {"65536", 0x47800000, 0x47800000, 0x4780, 0x7c00},
    {"the largest bf16", 0x7f7f0000, 0x7f7f0000, 0x7f7f, 0x7c00},
    {"3.3961774e38, the last that stays finite in bf16", 0x7f7f7fff, 0x7f7f8000, 0x7f7f, 0x7c00},
    {"3.3961775e38, the first that does not", 0x7f7f8000, 0x7f7f8000, 0x7f80, 0x7c00},
    {"the last that stays finite in tf32", 0x7f7fefff, 0x7f7fe000, 0x7f80, 0x7c00},
    {"the first that does not", 0x7f7ff000, 0x7f800000, 0x7f80, 0x7c00},
    {"the largest f32", 0x7f7fffff, 0x7f800000, 0x7f80, 0x7c00},
    {"minus the largest f32", 0xff7fffff, 0xff800000, 0xff80, 0xfc00},
    // Inf and NaN.
    {"Inf", 0x7f800000, 0x7f800000, 0x7f80, 0x7c00},
    {"-Inf", 0xff800000, 0xff800000, 0xff80, 0xfc00},
    {"a quiet NaN", 0x7fc00000, 0x7fc00000, 0x7fc0, 0x7e00},
    {"a NaN whose payload is all in the low bits", 0x7f800001, 0x7fc00001, 0x7fc0, 0x7e00},
    {"the NaN of all ones", 0xffffffff, 0xffffffff, 0xffff, 0xffff},
    // The lower ends.
    {"2^-14, the least normal f16", 0x38800000, 0x38800000, 0x3880, 0x0400},
    {"just below: rounds up to it", 0x387ff000, 0x38800000, 0x3880, 0x0400},
    {"the largest subnormal f16", 0x387fc000, 0x387fc000, 0x3880, 0x03ff},
    {"2^-24, the least subnormal f16", 0x33800000, 0x33800000, 0x3380, 0x0001},
    {"2^-25, a tie with 0", 0x33000000, 0x33000000, 0x3300, 0x0000},
    {"just above 2^-25", 0x33000001, 0x33000000, 0x3300, 0x0001},
    {"3 * 2^-25, a tie above an odd", 0x33c00000, 0x33c00000, 0x33c0, 0x0002},
    {"5 * 2^-25, a tie above an even", 0x34200000, 0x34200000, 0x3420, 0x0002},
    {"the least normal f32", 0x00800000, 0x00800000, 0x0080, 0x0000},
    {"the largest subnormal f32", 0x007fffff, 0x00800000, 0x0080, 0x0000},
    {"the least subnormal f32", 0x00000001, 0x00000000, 0x0000, 0x0000},
    {"a subnormal tie in bf16", 0x00008000, 0x00008000, 0x0000, 0x0000},
    {"just above it", 0x00008001, 0x00008000, 0x0001, 0x0000},
    {"a subnormal tie in tf32", 0x80001000, 0x80000000, 0x8000, 0x8000},
};

/// What the compiler cannot know before it runs.
float opaque(std::uint32_t bits) {
    volatile std::uint32_t hidden = bits;
    return std::bit_cast<float>(std::uint32_t{hidden});
}

TEST(Conversions, Fault24_AgreeWithTheTable) {
    for (const Golden& row : table) {
        EXPECT_EQ(std::bit_cast<std::uint32_t>(to_tf32(opaque(row.f32))), row.tf32) << row.what << ", to tf32";
        EXPECT_EQ(to_bfloat16(opaque(row.f32)).bits, row.bf16) << row.what << ", to bf16";
        EXPECT_EQ(to_float16(opaque(row.f32)).bits, row.f16) << row.what << ", to f16";
    }
}

TEST(Conversions, AreTheSameAtCompileTime) {
    static_assert(to_bfloat16(1.0f).bits == 0x3f80 && to_float16(-2.0f).bits == 0xc000 && to_tf32(1.0f) == 1.0f);
    static_assert(widen(float16{0x0001}) == 0x1p-24f && widen(bfloat16{0xc000}) == -2.0f);
}

/// A conditional split: the form that a compiler once reduced to nothing.
float high_part(float x, bool split) { return split ? widen(to_bfloat16(x)) : x; }

TEST(Conversions, SurviveBeingConditional) {
    for (std::uint32_t low = 1; low < 0x10000; low += 0x111) {
        const float x = opaque(0x3f800000 | low), high = high_part(x, opaque(1) != 0);
        EXPECT_EQ(std::bit_cast<std::uint32_t>(high) & 0xffff, 0u);
        EXPECT_LE(x > high ? x - high : high - x, 0x1p-8f);
    }
}

/// Values that stand side by side, the form whose rounding g++ 12 takes for a copy.
struct Numbers {
    double x, y, z;
};
[[gnu::noinline]] void round_all(Numbers& n) {
    n.x = rounded_to_f32(n.x);
    n.y = rounded_to_f32(n.y);
    n.z = rounded_to_f32(n.z);
}
[[gnu::noinline]] void round_two_if(Numbers& n, const Numbers& from, bool narrow) {
    n.x = narrow ? rounded_to_f32(from.x) : from.x;
    n.y = narrow ? rounded_to_f32(from.y) : from.y;
}
[[gnu::noinline]] void leave_the_rest(Numbers& n) {
    n.x -= rounded_to_f32(n.x);
    n.y -= rounded_to_f32(n.y);
}

TEST(Conversions, Fault24_OfNeighboursToF32AreNotDropped) {
    for (const double value : {0.1, -1e-42, 1 + 0x1p-30, 3e38, 1e300}) {
        volatile double hidden = value;
        volatile float narrow = static_cast<float>(hidden);
        const double x = hidden, right = static_cast<double>(narrow);
        Numbers n{x, x, x};
        round_all(n);
        EXPECT_TRUE(n.x == right && n.y == right && n.z == right) << value << " became " << n.x;
        round_two_if(n, {x, x, x}, opaque(1) != 0);
        EXPECT_TRUE(n.x == right && n.y == right) << value << " became " << n.x;
        n = {x, x, x};
        leave_the_rest(n);
        EXPECT_TRUE(n.x == x - right && n.y == x - right) << value << " left " << n.x;
    }
}

TEST(Conversions, OfEveryNarrowNumberComeBack) {
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const float16 half{static_cast<std::uint16_t>(bits)};
        const bfloat16 brain{static_cast<std::uint16_t>(bits)};
        const bool half_nan = (bits & 0x7fff) > 0x7c00, brain_nan = (bits & 0x7fff) > 0x7f80;
        EXPECT_EQ(to_float16(widen(half)).bits, half_nan ? bits | 0x200 : bits);
        EXPECT_EQ(to_bfloat16(widen(brain)).bits, brain_nan ? bits | 0x40 : bits);
    }
}

}  // namespace
