// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A batch is its products: the same bits as one at a time, whatever the steps, the threads and the size; and what is
// wrong with one of them is said of that one, before anything is written.
#include "tilewright/batch.hpp"

#include <climits>

#include "rooms/multiply/each_row.hpp"
#include "support/random_numbers.hpp"

namespace rules {
namespace {

template <class T>
class Batches : public EachRow<T> {};
TYPED_TEST_SUITE(Batches, Types);

/// `size` products of one shape whose operands lie `gap` elements apart, and what they give one at a time.
template <class T>
struct Many {
    std::int64_t size, m, n, k, gap = 3;
    std::vector<T> a, b, c, residual, right;

    Many(std::int64_t count, std::int64_t rows, std::int64_t cols, std::int64_t inner)
        : size(count),
          m(rows),
          n(cols),
          k(inner),
          a(values(m * k, 1)),
          b(values(k * n, 2)),
          c(values(m * n, 3)),
          residual(values(m * n, 4)),
          right(c) {}

    std::vector<T> values(std::int64_t each, unsigned seed) const {
        return random_values<T>(static_cast<std::size_t>(size * (each + gap)), seed);
    }
    tw::View<T> av(std::int64_t i) { return {a.data() + i * (m * k + gap), m, k}; }
    tw::View<T> bv(std::int64_t i) { return {b.data() + i * (k * n + gap), k, n}; }
    tw::View<T> cv(std::int64_t i) { return {c.data() + i * (m * n + gap), m, n}; }
    tw::View<T> rv(std::int64_t i) { return {residual.data() + i * (m * n + gap), m, n}; }

    tw::Batch strided() const {
        return {.size = size,
                .a_step = m * k + gap,
                .b_step = k * n + gap,
                .c_step = m * n + gap,
                .residual_step = m * n + gap};
    }
    void one_at_a_time(tw::Options options) {
        std::swap(c, right);
        const bool adds = options.epilogue.residual.data != nullptr;
        for (std::int64_t i = 0; i < size; ++i) {
            if (adds) options.epilogue.residual = erase(rv(i));
            tw::multiply(av(i), bv(i), cv(i), options);
        }
        std::swap(c, right);
    }
    tw::Status run(const tw::Options& options) {
        return tw::try_multiply_batch(av(0), bv(0), cv(0), strided(), options);
    }
};

TYPED_TEST(Batches, Rule35_GiveTheBitsOfOneProductAtATimeOnEveryRow) {
    for (const auto& row : rows<TypeParam>())
        for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {5, 7, 9}, {33, 30, 31}})
            for (const int threads : {1, 2, 5}) {
                Many<TypeParam> many(23, m, n, k);
                const tw::Options options{.alpha = 2, .beta = 0.5, .threads = threads, .kernel = row};
                many.one_at_a_time(options);
                ASSERT_TRUE(many.run(options).is_ok());
                ASSERT_TRUE(same_bits(many.c, many.right))
                    << row << ' ' << m << 'x' << n << 'x' << k << ", " << threads << " threads";
            }
}

TYPED_TEST(Batches, Rule35_GiveThemForLargeProductsAndFewToo) {
    for (const std::int64_t size : {1, 3})
        for (const bool reproducible : {false, true}) {
            Many<TypeParam> many(size, 190, 210, 600);
            many.one_at_a_time({.reproducible = reproducible, .threads = 1});
            ASSERT_TRUE(many.run({.reproducible = reproducible, .threads = 4}).is_ok());
            ASSERT_TRUE(same_bits(many.c, many.right)) << size;
        }
}

TYPED_TEST(Batches, PointersStepsOfZeroAndEpiloguesOfTheirOwn) {
    Many<TypeParam> many(40, 9, 17, 12);
    const std::vector<TypeParam> bias = random_values<TypeParam>(17, 8);
    tw::Epilogue epilogue = tw::bias_relu(bias);
    epilogue.residual = erase(many.rv(0));
    const tw::Options options{.epilogue = epilogue, .threads = 3};
    many.one_at_a_time(options);
    ASSERT_TRUE(many.run(options).is_ok());
    EXPECT_TRUE(same_bits(many.c, many.right)) << "by steps";

    std::vector<const TypeParam*> a, b;
    std::vector<TypeParam*> c;
    for (std::int64_t i = many.size; i-- > 0;)
        a.push_back(many.av(i).data), b.push_back(many.bv(i).data), c.push_back(many.cv(i).data);
    many.c.assign(many.c.size(), 0), many.right = many.c;
    many.one_at_a_time({});
    const tw::View<const TypeParam> a_shape(nullptr, 9, 12), b_shape(nullptr, 12, 17);
    const tw::View<TypeParam> c_shape(nullptr, 9, 17);
    tw::multiply_batch(a_shape, b_shape, c_shape, tw::batch_of(many.size, a.data(), b.data(), c.data()),
                       {.threads = 3});
    EXPECT_TRUE(same_bits(many.c, many.right)) << "by pointers, backwards";

    tw::Batch shared = many.strided();
    shared.b_step = 0;
    tw::multiply_batch(many.av(0), many.bv(0), many.cv(0), shared);
    std::vector<TypeParam> last(9 * 17);
    tw::multiply(many.av(39), many.bv(0), tw::View(last.data(), 9, 17));
    EXPECT_EQ(std::memcmp(last.data(), many.cv(39).data, last.size() * sizeof(TypeParam)), 0) << "one B for all";
}

TYPED_TEST(Batches, MayLieInsideOneAnother) {
    // Products side by side in memory: element (i, j) of product p at (i * n + j) * size + p.
    constexpr std::int64_t size = 6, m = 5, n = 4, k = 3;
    const auto a = random_values<TypeParam>(m * k * size, 1), b = random_values<TypeParam>(k * n * size, 2);
    std::vector<TypeParam> c(m * n * size), alone(m * n);
    tw::multiply_batch(tw::View(a.data(), m, k, k * size, size), tw::View(b.data(), k, n, n * size, size),
                       tw::View(c.data(), m, n, n * size, size), {.size = size, .a_step = 1, .b_step = 1, .c_step = 1},
                       {.threads = 2});
    for (std::int64_t p = 0; p < size; ++p) {
        tw::multiply(tw::View(a.data() + p, m, k, k * size, size), tw::View(b.data() + p, k, n, n * size, size),
                     tw::View(alone.data(), m, n));
        for (std::int64_t e = 0; e < m * n; ++e)
            ASSERT_EQ(c[static_cast<std::size_t>(e * size + p)], alone[static_cast<std::size_t>(e)]);
    }
}

TYPED_TEST(Batches, NoProductsNoElementsNoTerms) {
    Many<TypeParam> many(4, 3, 5, 2);
    const auto before = many.c;
    const tw::View<TypeParam> none(nullptr, 3, 2), flat(nullptr, 0, 5), c(many.c.data(), 3, 5);
    EXPECT_TRUE(tw::try_multiply_batch(none, none, flat, {}).is_ok()) << "a batch of nothing";
    EXPECT_TRUE(tw::try_multiply_batch(tw::View<TypeParam>(nullptr, 0, 2), many.bv(0), flat, many.strided()).is_ok());
    EXPECT_TRUE(same_bits(many.c, before));
    EXPECT_TRUE(
        tw::try_multiply_batch(none, tw::View<TypeParam>(nullptr, 2, 5), c, many.strided(), {.alpha = 0, .beta = 2})
            .is_ok());
    for (std::int64_t p = 0; p < 4; ++p) EXPECT_EQ(many.cv(p)(2, 4), 2 * before[static_cast<std::size_t>(p * 18 + 14)]);
    EXPECT_EQ(many.c[15], before[15]) << "what lies between two products is not theirs";
}

tw::Status refused(const tw::Batch& batch, std::int64_t c_step = 4) {
    static float x[64] = {}, c[64] = {};
    return tw::try_multiply_batch(tw::View(x, 2, 2), tw::View(x, 2, 2), tw::View(c, 2, 2, c_step), batch);
}

TEST(Batches, Rule36_WhatIsWrongIsSaidOfTheProductThatItIsIn) {
    EXPECT_EQ(refused({.size = -1}).argument, tw::Argument::batch);
    EXPECT_EQ(refused({.size = INT64_MIN}).argument, tw::Argument::batch);
    EXPECT_EQ(refused({.size = 3, .a_step = INT64_MAX, .c_step = 2}).argument, tw::Argument::a);
    EXPECT_EQ(refused({.size = 3, .b_step = INT64_MIN, .c_step = 2}).argument, tw::Argument::b);
    EXPECT_EQ(refused({.size = INT64_MAX, .c_step = 2}).argument, tw::Argument::c);
    EXPECT_TRUE(refused({.size = 2, .c_step = 2}).is_ok()) << "rows of 2 in steps of 4 have room for another 2";
    const tw::Status twice = refused({.size = 7, .c_step = 1});
    EXPECT_EQ(twice.argument, tw::Argument::c);
    EXPECT_EQ(twice.product, 1);
    EXPECT_EQ(refused({.size = 7, .c_step = 2}).product, 2) << "two steps of 2 are a row's";
    EXPECT_EQ(refused({.size = 2, .c_step = 0}).product, 1);
    EXPECT_EQ(refused({.size = 9, .c_step = -4}).product, 1);

    float x[4] = {1, 2, 3, 4}, c[8] = {};
    const float* operands[3] = {x, x, nullptr};
    float* results[3] = {c, c + 4, c};
    const tw::View<float> view(nullptr, 2, 2);
    try {
        tw::multiply_batch(view, view, view, tw::batch_of(3, operands, operands, results));
        FAIL() << "product 2 has no A";
    } catch (const tw::Error& error) {
        EXPECT_EQ(error.status().product, 2);
        EXPECT_NE(std::string(error.what()).find("product 2 of the batch: A: it is null"), std::string::npos)
            << error.what();
    }
    EXPECT_EQ(std::vector<float>(c, c + 8), std::vector<float>(8)) << "nothing was written";
    results[1] = c;
    EXPECT_EQ(tw::try_multiply_batch(view, view, view, tw::batch_of(2, operands, operands, results)).product, 1)
        << "the second C is the first";
    results[1] = c + 4;
    operands[2] = x, results[2] = c + 4;
    EXPECT_EQ(tw::try_multiply_batch(view, view, view, tw::batch_of(3, operands, operands, results)).product, 2);
}

/// The first product that writes where one before it has written, found by writing.
int first_to_overwrite(const tw::View<float>& c, std::int64_t step, int size) {
    std::vector<int> written(1024, -1);
    for (int p = 0; p < size; ++p)
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = 0; j < c.cols; ++j) {
                int& by = written[static_cast<std::size_t>(512 + p * step + (&c(i, j) - c.data))];
                if (by >= 0 && by != p) return p;
                by = p;
            }
    return -1;
}

TEST(Batches, Rule36_TheFirstProductThatOverwritesAnotherIsNamedHoweverTheyLie) {
    std::vector<float> memory(1024), x(9, 1);
    constexpr int size = 6;
    const auto try_one = [&](std::int64_t rows, std::int64_t cols, std::int64_t down, std::int64_t across,
                             std::int64_t step) {
        const tw::View<float> c(memory.data() + 512, rows, cols, down, across);
        const tw::Status status = tw::try_multiply_batch(tw::View(x.data(), rows, 1), tw::View(x.data(), 1, cols), c,
                                                         {.size = size, .c_step = step});
        const int expected = first_to_overwrite(c, step, size);
        EXPECT_EQ(status.is_ok(), expected < 0) << rows << 'x' << cols << ' ' << down << ' ' << across << ' ' << step;
        EXPECT_TRUE(status || status.product == expected) << rows << 'x' << cols << ' ' << down << ' ' << step;
    };
    for (const std::int64_t rows : {1, 2, 3})
        for (const std::int64_t cols : {1, 2, 3})
            for (const std::int64_t within : {1, 2, 4})
                for (const std::int64_t gap : {0, 1, 2, 5})
                    for (std::int64_t step = -21; step <= 21; ++step) {
                        try_one(rows, cols, (cols - 1) * within + 1 + gap, within, step);
                        try_one(rows, cols, within, (rows - 1) * within + 1 + gap, step);
                    }
}

TEST(Batches, Rule36_OnlyWhatIsReadOrWrittenMayNotBeNull) {
    float x[4] = {1, 2, 3, 4}, results[8] = {};
    for (const std::int64_t m : {0, 2})
        for (const std::int64_t n : {0, 2})
            for (const std::int64_t k : {0, 2})
                for (const double alpha : {0.0, 1.0})
                    for (int of = 0; of < 3; ++of) {
                        const float *a[] = {x, of == 0 ? nullptr : x}, *b[] = {x, of == 1 ? nullptr : x};
                        float* c[] = {results, of == 2 ? nullptr : results + 4};
                        const bool is_written = m > 0 && n > 0, is_read = is_written && k > 0 && alpha != 0;
                        const tw::Status status = tw::try_multiply_batch(
                            tw::View<const float>(nullptr, m, k), tw::View<const float>(nullptr, k, n),
                            tw::View<float>(nullptr, m, n), tw::batch_of(2, a, b, c), {.alpha = alpha});
                        EXPECT_EQ(status.is_ok(), !(of == 2 ? is_written : is_read))
                            << m << ' ' << n << ' ' << k << ' ' << alpha << ' ' << of;
                        EXPECT_TRUE(status || status.product == 1);
                    }
}

TEST(Batches, OneByOneEachAddsItsOwnResidual) {
    Many<float> many(6, 9, 10, 11);
    tw::Options options{.verify = true};  // which makes them one by one
    options.epilogue.residual = erase(many.rv(0));
    many.one_at_a_time(options);
    EXPECT_TRUE(many.run(options));
    EXPECT_TRUE(same_bits(many.c, many.right));
}

TEST(Batches, TheCallersExecutorAndScratchServe) {
    Many<float> many(50, 64, 64, 64);
    many.one_at_a_time({});
    int calls = 0;
    const tw::Executor executor{&calls, [](void* self, int tasks, void (*task)(void*, int), void* context) {
                                    ++*static_cast<int*>(self);
                                    while (tasks-- > 0) task(context, tasks);
                                }};
    std::vector<std::byte> scratch(std::size_t{3} << 20);
    for (const char* row : {"", "r7_hierarchical"}) {
        if (!*row) calls = 0;
        EXPECT_TRUE(
            many.run({.threads = 4, .executor = &executor, .scratch = std::span(scratch).subspan(5), .kernel = row})
                .is_ok());
    }
    EXPECT_GT(calls, 0);
}

TEST(Batches, NarrowOperandsAndVerificationGoTheSameWay) {
    std::vector<tw::bfloat16> a(10 * 16, tw::bfloat16{0x3f80}), b = a, c(10 * 16), alone(16);
    tw::multiply_batch(tw::View(a.data(), 4, 4), tw::View(b.data(), 4, 4), tw::View(c.data(), 4, 4),
                       {.size = 10, .a_step = 16, .b_step = 16, .c_step = 16}, {.threads = 3});
    for (const tw::bfloat16 x : c) EXPECT_EQ(x.bits, 0x4080);
    Many<double> many(5, 20, 20, 20);
    many.one_at_a_time({});
    EXPECT_TRUE(many.run({.verify = true}).is_ok());
    EXPECT_TRUE(same_bits(many.c, many.right));
}

// Any M, N, leading dimension, alignment and batch: with `reproducible`, a row's bits are those of that row alone.
TYPED_TEST(Batches, Rule37_AReproducibleRowHasTheBitsOfTheRowAlone) {
    std::mt19937 engine(17);
    const auto pick = [&](int most) { return std::uniform_int_distribution<std::int64_t>(1, most)(engine); };
    for (int round = 0; round < 12; ++round) {
        const std::int64_t size = pick(5), m = pick(40), n = pick(70), k = pick(round % 3 ? 90 : 1300);
        const std::int64_t lda = k + pick(9) - 1, ldc = n + pick(9) - 1, shift = pick(15);
        const auto a = random_values<TypeParam>(static_cast<std::size_t>(size * m * lda + shift),
                                                1u + static_cast<unsigned>(round));
        const auto b = random_values<TypeParam>(static_cast<std::size_t>(k * n), 2);
        std::vector<TypeParam> c(static_cast<std::size_t>(size * m * ldc + shift)), row(static_cast<std::size_t>(n));
        tw::multiply_batch(tw::View(a.data() + shift, m, k, lda), tw::View(b.data(), k, n),
                           tw::View(c.data() + shift, m, n, ldc), {.size = size, .a_step = m * lda, .c_step = m * ldc},
                           {.reproducible = true, .threads = static_cast<int>(pick(4))});
        const std::int64_t p = pick(static_cast<int>(size)) - 1, i = pick(static_cast<int>(m)) - 1;
        tw::multiply(tw::View(a.data() + shift + (p * m + i) * lda, 1, k), tw::View(b.data(), k, n),
                     tw::View(row.data(), 1, n), {.reproducible = true});
        EXPECT_EQ(std::memcmp(row.data(), c.data() + shift + (p * m + i) * ldc, row.size() * sizeof(TypeParam)), 0)
            << size << " products of " << m << 'x' << n << 'x' << k;
    }
}

}  // namespace
}  // namespace rules
