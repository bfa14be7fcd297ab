// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tables of surveys are compared from version to version, so a seed names the same shapes for good. Where a new family
// is wanted, these lists are made again, and so are the tables.
#include <gtest/gtest.h>

#include <string>

#include "measure/survey/draw.hpp"

namespace tw::measure {
namespace {

std::string lines_of(const std::vector<Case>& cases) {
    std::string text;
    for (const Case& one : cases)
        text += std::string(one.kind->name) + "  " + one.text() + "  step " + std::to_string(one.a.step) + " " +
                std::to_string(one.b.step) + " " + std::to_string(one.c.step) + "  " + one.family + "\n";
    return text;
}

/// Fowler, Noll and Vo's hash: the length of a text that may stand in a test.
std::uint64_t digest(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

/// The real ones; complex numbers came later, and have shapes of their own.
std::vector<const Kind*> all_kinds() {
    std::vector<const Kind*> kinds;
    for (const Kind& kind : every_kind())
        if (!is_complex(kind.type)) kinds.push_back(&kind);
    return kinds;
}

TEST(SurveySeeds, TheFirstSeedsShapesAreThese) {
    const auto shapes = draw(1, 24, all_kinds(), device_limits);
    EXPECT_EQ(lines_of(shapes),
              "f64  4360x4360x4360 NT  step 0 0 0  squares\n"
              "f32  271x2038x160 NN  step 0 0 0  ragged\n"
              "f32  882x4096x14336 NT  step 0 0 0  layers\n"
              "tf32  640x640x640 NN pitch +56 +64 +16 at 0 2 0  step 0 0 0  odd steps\n"
              "bf16  7840x7840x7840 NN  step 0 0 0  squares\n"
              "tf32  1288x1288x1288 NN  step 0 0 0  squares\n"
              "f32  128x6144x4096 NT pitch +1 +0 +24 at 0 4 0  step 0 0 0  odd steps\n"
              "bf16  2x28672x8192 NT  step 0 0 0  layers\n"
              "bf16  2886x49x388 NT  step 0 0 0  ragged\n"
              "bf16  4096x3072x768 NN  step 0 0 0  layers\n"
              "f32  4x128256x4096 NT  step 0 0 0  layers\n"
              "bf16  640x640x640 TN  step 0 0 0  transposed\n"
              "f32  5136x5136x5136 NT  step 0 0 0  squares\n"
              "f16  1x1024x1024 NN  step 0 0 0  layers\n"
              "f32  8192x8192x8192 TN  step 0 0 0  transposed\n"
              "bf16  958x958x958 NN pitch +1 +32 +0  step 0 0 0  odd steps\n"
              "fp32_elementwise  16x28672x8192 NT  step 0 0 0  layers\n"
              "fp32_elementwise  2560x2560x2560 NN  step 0 0 0  squares\n"
              "bf16  32x6123x2827 NN  step 0 0 0  thin m\n"
              "tf32  36x10240x8192 NT  step 0 0 0  layers\n"
              "fp32_elementwise  64x128256x4096 NT pitch +1 +72 +0 at 0 0 2  step 0 0 0  odd steps\n"
              "f16  1408x1408x1408 NT  step 0 0 0  squares\n"
              "f64  16x8192x28672 NT  step 0 0 0  layers\n"
              "f16  5014x8192x8192 NT pitch +5 +48 +2 at 7 0 0  step 0 0 0  odd steps\n");
}

TEST(SurveySeeds, ThousandsOfShapesAreTheSame) {
#if defined(__APPLE__)
    GTEST_SKIP() << "another library's exp() and log()";
#endif
    EXPECT_EQ(digest(lines_of(draw(2, 6000, all_kinds(), device_limits))), 11737032153027602789u);
    EXPECT_EQ(digest(lines_of(draw(3, 6000, all_kinds(), host_limits))), 15792957626839172807u);
    EXPECT_EQ(digest(lines_of(decoding(all_kinds(), device_limits))), 4804825526174827179u);
    EXPECT_EQ(digest(lines_of(decoding(all_kinds(), host_limits))), 2987944618991600885u);
    EXPECT_EQ(digest(lines_of(shard(draw(2, 60, all_kinds(), device_limits), 2, 7))), 9810463733529007433u);
}

TEST(SurveyCase, AnOperandEndsWithTheLastLineOfItsLastProduct) {
    Case one{.kind = find_kind("bf16"), .m = 5, .n = 7, .k = 11};
    CaseInMemory laid = lay_out(one);
    EXPECT_EQ(laid.a.elements, 55);
    EXPECT_EQ(laid.b.elements, 77);
    EXPECT_EQ(laid.c.elements, 35);
    EXPECT_EQ(laid.bytes(), 2 * (55 + 77 + 35));
    EXPECT_EQ(one.operations(), 2 * 5 * 7 * 11);
    one.products = 3, one.a.pitch = 13, one.b.by_columns = true, one.b.offset = 2, one.c.step = 7, one.c.pitch = 21;
    laid = lay_out(one);
    EXPECT_EQ(one.operations(), 3 * 2 * 5 * 7 * 11);
    EXPECT_EQ(laid.a.lay.step, 65);
    EXPECT_EQ(laid.a.elements, 2 * 65 + 4 * 13 + 11);
    EXPECT_EQ(laid.b.lay.pitch, 11);
    EXPECT_EQ(laid.b.lines(), 7);
    EXPECT_EQ(laid.b.width(), 11);
    EXPECT_EQ(laid.b.elements, 2 + 3 * 77);
    EXPECT_EQ(laid.c.elements, 2 * 7 + 4 * 21 + 7) << "products side by side";
    EXPECT_TRUE(laid.a.has_gaps_of_its_own(3));
    EXPECT_FALSE(laid.b.has_gaps_of_its_own(3)) << "its lines are dense";
    EXPECT_FALSE(laid.c.has_gaps_of_its_own(3)) << "the other products are between its lines";
    EXPECT_TRUE(laid.c.has_gaps_of_its_own(1));
}

TEST(SurveyCase, EachOddityIsSaidByItself) {
    const auto text_with = [](auto change) {
        Case one{.kind = find_kind("f32"), .m = 2, .n = 3, .k = 4};
        change(one);
        return one.text();
    };
    EXPECT_EQ(text_with([](Case&) {}), "2x3x4 NN");
    EXPECT_EQ(text_with([](Case& one) { one.a.by_columns = true; }), "2x3x4 TN");
    EXPECT_EQ(text_with([](Case& one) { one.c.by_columns = true; }), "2x3x4 NN C^T");
    EXPECT_EQ(text_with([](Case& one) { one.products = 2; }), "2x3x4 NN x2");
    EXPECT_EQ(text_with([](Case& one) { one.by_pointers = true; }), "2x3x4 NN") << "one product is no batch";
    EXPECT_EQ(text_with([](Case& one) { one.beta = -0.25; }), "2x3x4 NN beta -0.25");
    EXPECT_EQ(text_with([](Case& one) { one.a.pitch = 5; }), "2x3x4 NN pitch +1 +0 +0");
    EXPECT_EQ(text_with([](Case& one) { one.b.pitch = 5; }), "2x3x4 NN pitch +0 +2 +0");
    EXPECT_EQ(text_with([](Case& one) { one.b.offset = 5; }), "2x3x4 NN at 0 5 0");
    EXPECT_EQ(text_with([](Case& one) { one.c.offset = 5; }), "2x3x4 NN at 0 0 5");
}

}  // namespace
}  // namespace tw::measure
