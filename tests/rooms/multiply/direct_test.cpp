// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of few tiles go straight to their kernel: the bits are those of the long way, whatever the shapes and the
// steps, and nothing of one call is left in the next.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "backend/contract.hpp"
#include "backend/direct.hpp"
#include "support/random_numbers.hpp"
#include "tilewright/tilewright.hpp"

namespace {

using namespace tw;

/// A matrix in memory of its own, by rows or by columns, with room between them that must stay as it is.
template <class T>
struct Held {
    std::vector<T> elements;
    Matrix matrix;

    Held(std::int64_t rows, std::int64_t cols, bool by_rows, std::int64_t room, unsigned seed)
        : elements(static_cast<std::size_t>((by_rows ? rows : cols) * ((by_rows ? cols : rows) + room))) {
        std::mt19937 engine(seed);
        std::normal_distribution<T> normal;
        for (T& value : elements) value = normal(engine);
        const std::int64_t step = (by_rows ? cols : rows) + room;
        matrix = {elements.data(), type_of<T>, rows, cols, by_rows ? step : 1, by_rows ? 1 : step};
    }
};

template <class T>
class DirectWay : public testing::Test {
protected:
    struct Way {
        bool a_by_rows = true, b_by_rows = true, c_by_rows = true;
        std::int64_t room = 0;
    };

    static std::vector<T> by_name(const Held<T>& a, const Held<T>& b, Held<T> c, Options options) {
        c.matrix.data = c.elements.data();
        options.kernel = "r7_hierarchical";
        check(try_multiply(a.matrix, b.matrix, c.matrix, options), a.matrix, b.matrix, c.matrix, options);
        return c.elements;
    }

    static void expect_the_same(std::int64_t m, std::int64_t n, std::int64_t k, Way way) {
        const Held<T> a(m, k, way.a_by_rows, way.room, 1), b(k, n, way.b_by_rows, way.room, 2);
        const Held<T> c0(m, n, way.c_by_rows, way.room, 3);
        const Options options{.alpha = 0.7, .beta = 1.3, .reproducible = true, .threads = 1};
        const std::vector<T> expected = by_name(a, b, c0, options);
        for (const char* kernel : {"r6_vectorized", "", ""}) {
            Held<T> planned = c0, at_once = c0;
            planned.matrix.data = planned.elements.data(), at_once.matrix.data = at_once.elements.data();
            Options own = options;
            own.kernel = kernel;
            Plan plan;
            ASSERT_TRUE(try_plan(problem_of(a.matrix, b.matrix, planned.matrix, own), own, plan));
            if (std::string_view(plan.kernel_name()).ends_with("amx")) continue;  // a matrix unit sums in another order
            ASSERT_TRUE(plan.try_run(a.matrix, b.matrix, planned.matrix));
            ASSERT_TRUE(try_multiply(a.matrix, b.matrix, at_once.matrix, own));
            ASSERT_EQ(expected, planned.elements) << m << " x " << n << " x " << k << ", " << plan.kernel_name();
            ASSERT_EQ(expected, at_once.elements) << m << " x " << n << " x " << k << ", " << plan.kernel_name();
        }
    }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(DirectWay, Types);

TYPED_TEST(DirectWay, HasTheBitsOfTheLongWay) {
    for (const std::int64_t m : {1, 2, 5, 9, 12, 13, 16, 17, 40})
        for (const std::int64_t n : {1, 7, 15, 16, 17, 33, 48, 65, 100})
            for (const std::int64_t k : {1, 3, 8, 17, 41}) this->expect_the_same(m, n, k, {.room = n % 3});
}

TYPED_TEST(DirectWay, TakesOperandsAsTheyLie) {
    for (int way = 0; way < 8; ++way)
        for (const std::int64_t m : {1, 6, 14, 27})
            for (const std::int64_t n : {1, 16, 29, 50})
                for (const std::int64_t room : {0, 5})
                    this->expect_the_same(m, n, 23, {(way & 1) == 0, (way & 2) == 0, (way & 4) == 0, room});
}

/// Larger ones, close together and further apart than they may be.
TYPED_TEST(DirectWay, TakesManyTilesOrLeavesThem) {
    for (const std::int64_t room : {0, 3, 2048})
        for (const bool by_rows : {true, false}) this->expect_the_same(83, 97, 111, {by_rows, by_rows, by_rows, room});
    this->expect_the_same(150, 131, 170, {});
}

/// Rows of A so far apart that all of them would lie in one set of L1.
TYPED_TEST(DirectWay, TakesRowsAPowerOfTwoApart) {
    for (const std::int64_t m : {9, 14, 16, 31})
        for (const std::int64_t n : {16, 32}) this->expect_the_same(m, n, 24, {.room = 1024 - 24});
}

TYPED_TEST(DirectWay, IsThereForFewTilesOnly) {
    const auto is_direct = [](std::int64_t m, std::int64_t n, std::int64_t k, Form b) {
        const Problem problem{.m = m, .n = n, .k = k, .in = type_of<TypeParam>, .out = type_of<TypeParam>, .b = b};
        return direct_of(plan(problem, {.threads = 1, .kernel = "r6_vectorized"})).run != nullptr;
    };
    EXPECT_TRUE(is_direct(1, 1, 1, Form::row_major));
    EXPECT_TRUE(is_direct(64, 64, 64, Form::row_major));
    EXPECT_FALSE(is_direct(64, 64, 64, Form::col_major));
    EXPECT_FALSE(is_direct(1, 1, 4096, Form::row_major));
    EXPECT_TRUE(is_direct(150, 160, 170, Form::row_major));
    EXPECT_FALSE(is_direct(1000, 1000, 100, Form::row_major));
    EXPECT_FALSE(is_direct(std::int64_t{1} << 28, std::int64_t{1} << 28, std::int64_t{1} << 28, Form::row_major));
    EXPECT_FALSE(is_direct(0, 5, 5, Form::row_major));
}

/// Each thing that a glance must see, one at a time.
TEST(AsPlanned, OperandsAreWhatTheyWerePlannedAsInEveryRespect) {
    static float elements[100];
    const Problem problem{.m = 3, .n = 5, .k = 7};
    const Matrix a{elements, Type::f32, 3, 7, 8}, b{elements, Type::f32, 7, 5, 6}, c{elements, Type::f32, 3, 5, 9};
    for (const bool turned : {false, true})
        for (const bool left_on_rows : {false, true}) {
            Direct direct;
            direct.run = [](const Direct&, const Matrix&, const Matrix&, const Matrix&, double, double) {};
            direct.turned = turned, direct.left_on_rows = left_on_rows, direct.most_step = 20;
            Matrix of[] = {a, b, c};
            if (turned)
                for (Matrix& one : of) one.row_step = 1, one.col_step = 10;
            const auto passes = [&] { return are_as_planned(direct, problem, of[0], of[1], of[2]); };
            ASSERT_TRUE(passes());
            const auto with = [&](auto& field, auto value) {
                const auto good = std::exchange(field, static_cast<std::remove_reference_t<decltype(field)>>(value));
                const bool is_seen = !passes();
                field = good;
                return is_seen;
            };
            for (Matrix& one : of) {
                const auto which = &one - of;
                for (const int more : {-1, 1}) {
                    EXPECT_TRUE(with(one.rows, one.rows + more)) << which;
                    EXPECT_TRUE(with(one.cols, one.cols + more)) << which;
                }
                EXPECT_TRUE(with(one.type, Type::f64)) << which;
                EXPECT_TRUE(with(one.data, nullptr)) << which;
                const bool is_left = which == (turned ? 1 : 0);
                std::int64_t &along = turned ? one.row_step : one.col_step,
                             &down = turned ? one.col_step : one.row_step;
                EXPECT_EQ(with(along, 2), !is_left || left_on_rows) << which;
                EXPECT_TRUE(with(down, -10)) << which;
                EXPECT_EQ(with(down, 21), which != 2) << which;
                EXPECT_TRUE(with(down, std::int64_t{1} << 24)) << which;
            }
            EXPECT_TRUE(with(turned ? of[2].col_step : of[2].row_step, (turned ? 3 : 5) - 1));
            EXPECT_TRUE(with(direct.run, nullptr));
        }
}

TYPED_TEST(DirectWay, NeverReadsCWithoutBetaAndCarriesNaNAndInfinity) {
    using T = TypeParam;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN(), infinity = std::numeric_limits<T>::infinity();
    Held<T> a(5, 9, true, 0, 1), b(9, 21, true, 0, 2), c(5, 21, true, 2, 3);
    a.elements[9] = nan, b.elements[3] = infinity;
    for (T& value : c.elements) value = nan;
    const Plan planned = plan(problem_of(a.matrix, b.matrix, c.matrix), {});
    ASSERT_TRUE(planned.try_run(a.matrix, b.matrix, c.matrix));
    for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < 23; ++j) {
            const T value = c.elements[static_cast<std::size_t>(i * 23 + j)];
            if (j >= 21 || i == 1) EXPECT_TRUE(std::isnan(value)) << i << ", " << j;
            else EXPECT_EQ(std::isinf(value), j == 3) << i << ", " << j;
        }
}

/// A plan's options may be other ones at each run, and operands may lie otherwise than those that it was made for.
TYPED_TEST(DirectWay, LeavesNothingInThePlan) {
    using T = TypeParam;
    const Held<T> a(7, 19, true, 0, 1), b(19, 21, true, 0, 2), turned_b(19, 21, false, 0, 2);
    const Held<T> c0(7, 21, true, 0, 3), turned_c(7, 21, false, 0, 3);
    Plan planned = plan(problem_of(a.matrix, b.matrix, c0.matrix), {});
    std::vector<T> bias(21, T(2));
    const Epilogue biased{.bias = bias.data(), .bias_type = type_of<T>, .bias_size = 21};
    const Epilogue epilogues[] = {{}, biased, {.activation = Activation::relu}, {}};
    for (const Epilogue& epilogue : epilogues)
        for (const double alpha : {1.0, -0.5, 0.0})
            for (const double beta : {0.0, 2.0})
                for (const bool turned : {false, true}) {
                    planned.options.alpha = alpha, planned.options.beta = beta, planned.options.epilogue = epilogue;
                    const Held<T>& other = turned ? turned_b : b;
                    Held<T> c = turned ? turned_c : c0, at_once = c;
                    c.matrix.data = c.elements.data(), at_once.matrix.data = at_once.elements.data();
                    const Options options{.alpha = alpha, .beta = beta, .epilogue = epilogue};
                    const std::vector<T> expected = this->by_name(a, other, c, options);
                    ASSERT_TRUE(planned.try_run(a.matrix, other.matrix, c.matrix));
                    ASSERT_TRUE(try_multiply(a.matrix, other.matrix, at_once.matrix, options));
                    EXPECT_EQ(expected, c.elements) << alpha << ", " << beta << (turned ? ", turned" : "");
                    EXPECT_EQ(expected, at_once.elements) << alpha << ", " << beta << (turned ? ", turned" : "");
                }
}

TYPED_TEST(DirectWay, RefusesWhatTheLongWayRefuses) {
    using T = TypeParam;
    const Held<T> a(4, 6, true, 0, 1), b(6, 5, true, 0, 2), longer(7, 5, true, 0, 2);
    Held<T> c(4, 5, true, 0, 3);
    const Plan planned = plan(problem_of(a.matrix, b.matrix, c.matrix), {});
    ASSERT_TRUE(planned.try_run(a.matrix, b.matrix, c.matrix));
    ASSERT_TRUE(try_multiply(a.matrix, b.matrix, c.matrix));
    EXPECT_EQ(planned.try_run(a.matrix, longer.matrix, c.matrix).argument, Argument::b);
    EXPECT_EQ(try_multiply(a.matrix, longer.matrix, c.matrix).argument, Argument::b);
    Matrix none = a.matrix;
    none.data = nullptr;
    EXPECT_EQ(planned.try_run(none, b.matrix, c.matrix).argument, Argument::a);
    EXPECT_EQ(try_multiply(none, b.matrix, c.matrix).argument, Argument::a);
    EXPECT_FALSE(planned.try_run(a.matrix.block(0, 0, 3, 6), b.matrix, c.matrix.block(0, 0, 3, 5)));
    Matrix folded = c.matrix, other_type = b.matrix;
    folded.row_step = 3;
    EXPECT_EQ(planned.try_run(a.matrix, b.matrix, folded).argument, Argument::c);
    EXPECT_EQ(try_multiply(a.matrix, b.matrix, folded).argument, Argument::c);
    other_type.type = Type::bf16;
    EXPECT_EQ(planned.try_run(a.matrix, other_type, c.matrix).argument, Argument::b);
    EXPECT_EQ(try_multiply(a.matrix, other_type, c.matrix).argument, Argument::b);
}

TEST(DirectWayRemembered, DoesNotAnswerForAnotherAccuracy) {
    const float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8};
    float c[4] = {};
    const View<const float> av(a, 2, 2), bv(b, 2, 2);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(try_multiply(av, bv, View(c, 2, 2), {.threads = 1}));
    EXPECT_EQ(try_multiply(av, bv, View(c, 2, 2), {.accuracy = Accuracy(1e-30), .threads = 1}).code, Code::unsupported);
    EXPECT_TRUE(try_multiply(av, bv, View(c, 2, 2), {.threads = 1}));
}

}  // namespace
