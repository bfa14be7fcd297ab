// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rules 15 to 22: indices, steps, null and negative arguments, overlap, alignment, padding.
#include <sys/mman.h>

#include <climits>

#include "rooms/multiply/each_row.hpp"
#include "tilewright/packed.hpp"

namespace rules {
namespace {

template <class T>
class Memory : public EachRow<T> {};
TYPED_TEST_SUITE(Memory, Types);

tw::Status refused(const tw::Matrix& a, const tw::Matrix& b, const tw::Matrix& c) { return tw::try_multiply(a, b, c); }

tw::Matrix matrix(void* data, std::int64_t rows, std::int64_t cols, std::int64_t row_step, std::int64_t col_step = 1) {
    return {data, tw::Type::f32, rows, cols, row_step, col_step};
}

TYPED_TEST(Memory, Rule15_Fault17_ALeadingDimensionBeyond32BitsIsJustALongStep) {
    constexpr std::int64_t step = std::int64_t{1} << 31;
    const std::size_t bytes = (static_cast<std::size_t>(step) + 2) * sizeof(TypeParam);
    void* sparse = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sparse == MAP_FAILED) GTEST_SKIP() << "skipped: no room for " << bytes << " bytes of addresses";
    auto* far = static_cast<TypeParam*>(sparse);
    far[0] = 1, far[1] = 2, far[step] = 3, far[step + 1] = 4;
    const std::vector<TypeParam> b{5, 6, 7, 8};
    for (const auto& row : rows<TypeParam>()) {
        std::vector<TypeParam> c(4);
        tw::multiply(tw::View(far, 2, 2, step), tw::View(b.data(), 2, 2), tw::View(c.data(), 2, 2), {.kernel = row});
        EXPECT_EQ(c, (std::vector<TypeParam>{19, 22, 43, 50})) << row;
    }
    munmap(sparse, bytes);
}

TEST(Memory, Rule15_Fault17_ShapesThatOverflowAnAddressAreRefusedUnread) {
    float x[4] = {};
    const tw::Matrix small = matrix(x, 2, 2, 2);
    EXPECT_EQ(refused(matrix(x, 2, 2, INT64_MAX), small, small).argument, tw::Argument::a);
    EXPECT_EQ(refused(matrix(x, 2, INT64_MAX / 2, 4), small, small).argument, tw::Argument::a);
    EXPECT_EQ(refused(small, small, matrix(x, 2, 2, INT64_MIN)).argument, tw::Argument::c);
}

TEST(Memory, Rule15_SoAreShapesWhoseCopyOverflowsOneAlthoughStepsOf0FitIt) {
    float x[4] = {};
    constexpr std::int64_t long_side = std::int64_t{1} << 33, longest = std::int64_t{1} << 61;
    const tw::Matrix all_one = matrix(x, long_side, long_side, 0, 0), row = matrix(x, 1, longest, 0, 0),
                     one = matrix(x, 1, 1, 1);
    tw::Packed packed;
    EXPECT_EQ(tw::try_pack(all_one, packed).argument, tw::Argument::b);
    EXPECT_EQ(tw::try_pack_a(row, packed).argument, tw::Argument::a);
    EXPECT_EQ(tw::try_multiply(row, row.transposed(), one, {.verify = true}).argument, tw::Argument::a);
    tw::Matrix narrow = matrix(x, 4096, std::int64_t{1} << 50, 0, 0);  // 2^64 bytes as f32
    narrow.type = tw::Type::f16;
    EXPECT_EQ(tw::try_multiply(narrow, narrow.transposed(), matrix(x, 4096, 4096, 4096)).argument, tw::Argument::a);
}

TEST(Memory, Rule17_ACThatWritesAnElementTwiceIsRefusedAndUntouched) {
    std::vector<float> x(16, 1), c(16, 7);
    const tw::Matrix a = matrix(x.data(), 3, 2, 2), b = matrix(x.data(), 2, 4, 4);
    for (const auto& [row_step, col_step] : {std::pair{3, 1}, {0, 1}, {1, 2}, {4, 0}, {2, 2}}) {
        const tw::Status status = refused(a, b, matrix(c.data(), 3, 4, row_step, col_step));
        EXPECT_EQ(status.argument, tw::Argument::c) << row_step << ' ' << col_step;
    }
    EXPECT_EQ(c, std::vector<float>(16, 7));
    EXPECT_TRUE(refused(a, b, matrix(c.data(), 3, 4, 4))) << "packed rows don't overlap";
    std::vector<float> sparse(40);
    EXPECT_TRUE(refused(a, b, matrix(sparse.data(), 3, 4, 4, 3))) << "steps 4 and 3 first meet at (3, -4)";
}

TEST(Memory, Rule18_Fault17_NegativeNullAndUnknownArgumentsAreNamed) {
    float x[4] = {1, 2, 3, 4};
    const tw::Matrix good = matrix(x, 2, 2, 2);
    float c[4] = {};
    const tw::Matrix out = matrix(c, 2, 2, 2);
    EXPECT_EQ(refused(matrix(x, -1, 2, 2), good, out).argument, tw::Argument::a);
    EXPECT_EQ(refused(matrix(nullptr, 2, 2, 2), good, out).argument, tw::Argument::a);
    EXPECT_EQ(refused(good, matrix(nullptr, 2, 2, 2), out).argument, tw::Argument::b);
    EXPECT_EQ(refused(good, good, matrix(nullptr, 2, 2, 2)).argument, tw::Argument::c);
    EXPECT_EQ(refused(good, good, matrix(c, INT_MIN, 2, 2)).argument, tw::Argument::c);
    tw::Matrix strange = good;
    strange.type = static_cast<tw::Type>(77);
    EXPECT_EQ(refused(strange, good, out).argument, tw::Argument::a);
    EXPECT_EQ(refused(good, {x, tw::Type::f64, 1, 2, 2}, out).code, tw::Code::bad_argument);
}

TEST(Memory, Rule18_SoAreTheEpiloguesOperands) {
    float x[4] = {1, 2, 3, 4}, c[4] = {7, 7, 7, 7};
    const tw::Matrix good = matrix(x, 2, 2, 2), out = matrix(c, 2, 2, 2);
    const auto refusal = [&](const tw::Epilogue& epilogue) {
        return tw::try_multiply(good, good, out, {.epilogue = epilogue});
    };
    const auto strange = static_cast<tw::Type>(77);
    EXPECT_EQ(refusal({.bias = x, .bias_type = strange, .bias_size = 2}).argument, tw::Argument::options);
    EXPECT_EQ(refusal({.residual = {x, strange, 2, 2, 2}}).argument, tw::Argument::options);
    EXPECT_EQ(refusal({.residual = matrix(x, 2, 1, 2)}).argument, tw::Argument::options) << "a column is missing";
    EXPECT_EQ(refusal({.residual = matrix(x, 1, 2, 2)}).argument, tw::Argument::options) << "a row is missing";
    EXPECT_EQ(refusal({.residual = matrix(x, 2, 2, INT64_MIN)}).argument, tw::Argument::options);
    EXPECT_EQ(c[0], 7);
    EXPECT_TRUE(refusal({.residual = matrix(x, 2, 2, 2)}));
}

TYPED_TEST(Memory, Rule20_AAndBMayBeTheSameMemory) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(24, 24, 24);
        p.b = p.a;
        p.run(row);
        std::vector<TypeParam> c(p.c.size());
        tw::multiply(p.av(), p.av(), tw::View(c.data(), 24, 24), {.kernel = row});
        EXPECT_TRUE(same_bits(c, p.c)) << row;
    }
}

TEST(Memory, Rule20_ACOverlappingAnOperandIsRefusedInDebugBuilds) {
#ifdef NDEBUG
    GTEST_SKIP() << "skipped: a release build does not look";
#else
    float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(refused(matrix(x, 2, 2, 2), matrix(x + 4, 2, 2, 2), matrix(x + 3, 2, 2, 2)).argument, tw::Argument::c);
#endif
}

TEST(Memory, Rule20_BlocksOfOneMatrixDoNotOverlapAlthoughTheyLieBetweenEachOther) {
    std::vector<float> all(40 * 40, 1), back(all.rbegin(), all.rend());
    for (const bool by_columns : {false, true}) {
        const tw::View<float> v =
            by_columns ? tw::View<float>(all.data(), 40, 40).transposed() : tw::View<float>(all.data(), 40, 40);
        EXPECT_TRUE(
            tw::try_multiply(v.block(10, 0, 30, 10), v.block(0, 10, 10, 30), v.block(10, 10, 30, 30), {.beta = 1}));
        EXPECT_TRUE(tw::try_multiply(v.block(0, 0, 5, 4), v.block(0, 4, 4, 1), v.block(5, 39, 5, 1)));
    }
    const tw::View<float> upward(back.data() + 39 * 40, 40, 40, -40);
    EXPECT_TRUE(tw::try_multiply(upward.block(0, 0, 40, 20), upward.block(0, 0, 20, 20), upward.block(0, 20, 40, 20)));
    const tw::View<float> even(all.data(), 5, 5, 80, 2), odd(all.data() + 1, 5, 5, 80, 2);
    EXPECT_TRUE(tw::try_multiply(even, even, odd)) << "as real and imaginary parts lie";
#ifndef NDEBUG
    const tw::View<float> v(all.data(), 40, 40);
    EXPECT_FALSE(tw::try_multiply(v.block(10, 0, 30, 10), v.block(0, 10, 10, 30), v.block(10, 9, 30, 30)));
    EXPECT_FALSE(tw::try_multiply(v.block(0, 0, 4, 4), v.block(0, 4, 4, 4), v.block(3, 7, 4, 4).transposed()));
#endif
}

TYPED_TEST(Memory, Rule21_Fault07_AlignmentDoesNotChangeABit) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> p(37, 41, 65);
        p.run(row);
        for (std::size_t shift : {1u, 3u, 7u, 13u}) {
            std::vector<TypeParam> a(p.a.size() + shift), b(p.b.size() + shift), c(p.c.size() + shift);
            std::copy(p.a.begin(), p.a.end(), a.begin() + static_cast<std::ptrdiff_t>(shift));
            std::copy(p.b.begin(), p.b.end(), b.begin() + static_cast<std::ptrdiff_t>(shift));
            tw::multiply(tw::View(a.data() + shift, 37, 65), tw::View(b.data() + shift, 65, 41),
                         tw::View(c.data() + shift, 37, 41), {.kernel = row});
            EXPECT_EQ(std::memcmp(c.data() + shift, p.c.data(), p.c.size() * sizeof(TypeParam)), 0)
                << row << ' ' << shift;
        }
    }
}

TYPED_TEST(Memory, Rule22_PaddingIsNeverWritten) {
    constexpr TypeParam poison = 12345;
    for (const auto& row : rows<TypeParam>())
        for (const bool by_columns : {false, true}) {
            Product<TypeParam> p(19, 35, 50);
            const std::int64_t rows_of = by_columns ? 35 : 19, cols_of = by_columns ? 19 : 35, ld = cols_of + 5;
            std::vector<TypeParam> c(static_cast<std::size_t>(rows_of * ld), poison);
            const tw::View<TypeParam> padded(c.data(), rows_of, cols_of, ld);
            tw::multiply(p.av(), p.bv(), by_columns ? padded.transposed() : padded, {.kernel = row});
            for (std::int64_t i = 0; i < rows_of; ++i)
                for (std::int64_t j = 0; j < ld; ++j)
                    ASSERT_EQ(c[static_cast<std::size_t>(i * ld + j)] == poison, j >= cols_of)
                        << row << ' ' << i << ' ' << j;
        }
}

}  // namespace
}  // namespace rules
