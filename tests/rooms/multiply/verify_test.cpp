// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The verification itself: it must see what is wrong, stay quiet over what is right, and repair what it can.
#include "multiply/verify.hpp"

#include <array>
#include <cmath>

#include "backend/contract.hpp"
#include "base/float_mode.hpp"
#include "multiply/freivalds.hpp"
#include "multiply/row_sums.hpp"
#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

template <class T>
Product<T> random_product(std::mt19937& engine, int most) {
    std::uniform_int_distribution<std::int64_t> dimension(1, most);
    Product<T> p(dimension(engine), dimension(engine), dimension(engine));
    std::normal_distribution<T> normal(0, 1);
    for (T& x : p.a) x = normal(engine);
    for (T& x : p.b) x = normal(engine);
    for (T& x : p.c) x = normal(engine);
    return p;
}

struct Scalars {
    double alpha, beta;
};
constexpr Scalars scalars[] = {{1, 0}, {1, 1}, {-0.7, 0.3}, {0.1, -2}};

template <class T>
class Verification : public EachRow<T> {};
TYPED_TEST_SUITE(Verification, Types);

/// Runs a clean product under the check; true when the check is content.
template <class T>
bool clean(Product<T>& p, Scalars s, std::mt19937& engine, double* wrong_by) {
    const tw::Matrix a = erase(p.av()), b = erase(p.bv()), c = erase(p.cv());
    tw::Plan plan;
    const tw::Options options{.alpha = s.alpha, .beta = s.beta, .threads = 1};
    EXPECT_TRUE(tw::try_plan(tw::problem_of(a, b, c, options), options, plan));
    tw::Freivalds freivalds(a, b, s.alpha, s.beta, tw::certificate(*plan.kernel, p.k));
    EXPECT_TRUE(freivalds.prepare(c));
    EXPECT_TRUE(plan.try_run(a, b, c));
    if (wrong_by) {
        const auto at = std::uniform_int_distribution<std::size_t>(0, p.c.size() - 1)(engine);
        *wrong_by = 8 * freivalds.tolerance(static_cast<std::int64_t>(at) / p.n, c);
        p.c[at] += static_cast<T>(engine() & 1 ? *wrong_by : -*wrong_by);
    }
    return freivalds.first_wrong_row(c) < 0;
}

TYPED_TEST(Verification, StaysQuietOver50000CleanRunsOfEachType) {
    std::mt19937 engine(7);
    int alarms = 0;
    for (int i = 0; i < (is_sanitized ? 2500 : 50000); ++i) {
        auto p = random_product<TypeParam>(engine, i % 100 == 0 ? 90 : 12);
        alarms += !clean(p, scalars[i % 4], engine, nullptr);
    }
    EXPECT_EQ(alarms, 0);
}

TYPED_TEST(Verification, SeesEachOf10000ElementsThatAreWrongBy8Tolerances) {
    std::mt19937 engine(8);
    int seen = 0;
    for (int i = 0; i < 10000; ++i) {
        auto p = random_product<TypeParam>(engine, i % 100 == 0 ? 90 : 16);
        double wrong_by = 0;
        seen += !clean(p, scalars[i % 4], engine, &wrong_by);
    }
    EXPECT_EQ(seen, 10000);
}

TYPED_TEST(Verification, KnowsInfinitiesAndNaNsThatBelongThere) {
    for (const TypeParam special :
         {infinity<TypeParam>, -infinity<TypeParam>, nan<TypeParam>, std::numeric_limits<TypeParam>::max()})
        for (const bool in_b : {false, true}) {
            Product<TypeParam> p(20, 30, 40);
            (in_b ? p.b : p.a)[77] = special;
            EXPECT_TRUE(tw::try_multiply(p.av(), p.bv(), p.cv(), {.verify = true})) << special;
            tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), 1, 0, 1e-4);
            ASSERT_TRUE(freivalds.prepare(erase(p.cv())));
            EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), -1);
            if (std::isfinite(special)) continue;
            for (TypeParam& x : p.c) x = std::isfinite(x) ? x : 0;  // as a kernel would that skips zeros
            EXPECT_GE(freivalds.first_wrong_row(erase(p.cv())), 0);
        }
}

tw::Freivalds check_of(Product<float>& p) {
    const tw::Plan plan = tw::plan(tw::problem_of(erase(p.av()), erase(p.bv()), erase(p.cv())));
    tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), 1, 0, tw::certificate(*plan.kernel, p.k));
    EXPECT_TRUE(freivalds.prepare(erase(p.cv())));
    EXPECT_TRUE(plan.try_run(erase(p.av()), erase(p.bv()), erase(p.cv())));
    return freivalds;
}

TEST(Verification, AcceptsTheNaNOfAPartialSumThatOverflowsBesideAnInfinity) {
    // -3e38 - 3e38 is -Inf in f32, and -Inf + Inf a NaN; in f64 the sum is Inf.
    Product<float> p(1, 1, 3);
    p.a = {-3e38f, -3e38f, infinity<float>}, p.b = {1, 1, 1};
    EXPECT_TRUE(tw::try_multiply(p.av(), p.bv(), p.cv(), {.verify = true}));
    EXPECT_FALSE(std::isfinite(p.c[0]));
}

TEST(Verification, AcceptsTheInfinityWhereItsOwnPartialSumOverflowsBesideOne) {
    // From the left the sum is Inf - Inf; a unit that adds from the right, or in pairs, has -Inf.
    Product<double> p(1, 1, 3);
    const double most = std::numeric_limits<double>::max();
    p.a = {most, most, -infinity<double>}, p.b = {1, 1, 1}, p.c = {-infinity<double>};
    tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), 1, 0, 1e-15);
    ASSERT_TRUE(freivalds.prepare(erase(p.cv())));
    EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), -1);
    p.c = {1};
    EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), 0);
}

TEST(Verification, AcceptsTheInfinityBesideAProductThatOverflowsByItself) {
    // most * most is Inf, and Inf - Inf a NaN; a fused multiply-add never rounds the product, and has -Inf.
    Product<double> p(1, 1, 2);
    const double most = std::numeric_limits<double>::max();
    p.a = {-infinity<double>, most}, p.b = {1, most};
    for (const double result : {-infinity<double>, std::numeric_limits<double>::quiet_NaN()}) {
        p.c = {result};
        tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), 1, 0, 1e-15);
        ASSERT_TRUE(freivalds.prepare(erase(p.cv())));
        EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), -1) << result;
    }
    for (const tw::Verify how : {tw::Verify(true), tw::Verify(tw::Verify::correct)})
        EXPECT_TRUE(tw::try_multiply(p.av(), p.bv(), p.cv(), {.reproducible = true, .verify = how}));
}

TEST(Verification, AcceptsTheInfinityOfASumThatASmallAlphaWouldMakeSmall) {
    Product<float> p(1, 1, 2);
    p.a = {3e38f, 3e38f}, p.b = {1, 1};
    for (const double alpha : {1e-10, 1e-42})
        EXPECT_TRUE(tw::try_multiply(p.av(), p.bv(), p.cv(), {.alpha = alpha, .verify = true})) << alpha;
}

// By the largest of the row and of the column, which the magnitude may be far below.
TEST(Verification, AllowsWhatAKernelLosesBesidesItsCertificate) {
    struct Lost {
        tw::Losses losses;
        double allowed;
    };
    const double certificate = 0x1p-30;
    for (const Lost& one : {Lost{{.flush = 0x1p-40}, 3 * 0x1p-39}, Lost{{.least = 0x1p-9}, 0x1p-37}}) {
        Product<float> p(1, 1, 2);
        p.a = {1, 0x1p-40f}, p.b = {0x1p-40f, 1};
        tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), 1, 0, certificate);
        freivalds.allow(certificate, one.losses);
        ASSERT_TRUE(freivalds.prepare(erase(p.cv())));
        for (const double part : {0.9, 1.1}) {
            p.c[0] = static_cast<float>(0x1p-39 + part * one.allowed);
            EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), part < 1 ? -1 : 0) << part << ' ' << one.allowed;
        }
        freivalds.allow(certificate, {});
        p.c[0] = static_cast<float>(0x1p-39 + 0.9 * one.allowed);
        EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), 0);
    }
}

TEST(Verification, KnowsANaNThatAScalarBrings) {
    Product<float> p(3, 4, 5);
    for (const tw::Verify verify : {tw::Verify::check, tw::Verify::correct})
        for (const tw::Options& scalars : {tw::Options{.alpha = nan<double>}, tw::Options{.beta = nan<double>}}) {
            tw::Options options = scalars;
            options.verify = verify;
            EXPECT_TRUE(tw::try_multiply(p.av(), p.bv(), p.cv(), options));
            for (const float x : p.c) EXPECT_TRUE(std::isnan(x));
        }
    tw::Freivalds freivalds(erase(p.av()), erase(p.bv()), nan<double>, 0, 1e-4);
    ASSERT_TRUE(freivalds.prepare(erase(p.cv())));
    p.c.assign(p.c.size(), 1);
    EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), 0);
}

TEST(Verification, SeesWhatIsNotFiniteAndShouldBe) {
    for (const float wrong : {infinity<float>, -infinity<float>, nan<float>}) {
        Product<float> p(6, 40, 20);
        const tw::Freivalds freivalds = check_of(p);
        EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), -1);
        p.c[3 * 40 + 7] = wrong;
        EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), 3) << wrong;
    }
    // Where a column of B is not finite, no sum tells of the others: single elements must.
    Product<float> p(6, 12, 20);
    p.b[5] = nan<float>;
    const tw::Freivalds freivalds = check_of(p);
    EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), -1);
    p.c[3 * 12 + 7] = infinity<float>;
    EXPECT_EQ(freivalds.first_wrong_row(erase(p.cv())), 3);
}

// With signs that were all the same, what one element has too much another could have too little.
TEST(Verification, SeesErrorsThatCancelInASum) {
    int seen = 0;
    for (std::size_t other = 1; other < 40; ++other) {
        Product<float> p(1, 40, 20);
        const tw::Freivalds freivalds = check_of(p);
        p.c[0] += 1, p.c[other] -= 1;
        seen += freivalds.first_wrong_row(erase(p.cv())) == 0;
    }
    EXPECT_GE(seen, 10) << "about half of 39";
}

TEST(Verification, AcceptsRightProductsWhoseScalarsHaveFewBitsInF32) {
    std::mt19937 engine(9);
    std::uniform_int_distribution<int> whole(-2, 2);
    for (const double alpha : {1e-37, 1e-39, 1e-42, 1e-44})
        for (int i = 0; i < 500; ++i) {
            Product<float> p(1, 1, 8);
            for (float& x : p.a) x = static_cast<float>(whole(engine));
            for (float& x : p.b) x = static_cast<float>(whole(engine));
            const tw::Status status = tw::try_multiply(p.av(), p.bv(), p.cv(), {.alpha = alpha, .verify = true});
            ASSERT_TRUE(status) << "alpha " << alpha << ", C " << p.c[0] << ": " << status.text;
        }
}

TEST(RowSums, HaveTheSameBitsWithAnyNumberOfThreads) {
    for (const auto& sides : {std::array<std::int64_t, 2>{1000, 301}, {301, 1000}, {5, 90000}, {90000, 5}}) {
        const std::int64_t rows = sides[0], cols = sides[1];
        const auto values = random_values<float>(static_cast<std::size_t>(rows * cols), 7);
        const auto weights = random_values<double>(static_cast<std::size_t>(2 * cols), 8);
        for (const bool by_columns : {false, true}) {
            const tw::Matrix m{const_cast<float*>(values.data()),
                               tw::Type::f32,
                               rows,
                               cols,
                               by_columns ? 1 : cols,
                               by_columns ? rows : 1};
            const auto sums = [&](int threads) {
                std::vector<double> found(static_cast<std::size_t>(2 * rows), -1);
                tw::row_sums(m, weights.data(), weights.data() + cols, found.data(), found.data() + rows,
                             {.threads = threads});
                return found;
            };
            const auto alone = sums(1);
            EXPECT_TRUE(same_bits(sums(2), alone)) << rows;
            EXPECT_TRUE(same_bits(sums(7), alone)) << rows;
        }
    }
}

/// Whole numbers, whose sums are exact in any order; a line more and less than vectors and strips take.
template <class T>
void expect_exact_sums(std::int64_t rows, std::int64_t cols) {
    const auto gap = cols + 3, tall = rows + 5;
    std::vector<T> values(static_cast<std::size_t>(std::max(gap * rows, tall * cols)) * 2);
    const auto numbers = random_values<double>(values.size() + static_cast<std::size_t>(2 * cols), 9);
    tw::Matrix all{values.data(), tw::type_of<T>, 1, static_cast<std::int64_t>(values.size()), 1, 1};
    for (std::int64_t i = 0; i < all.cols; ++i)
        tw::store_element(all, 0, i, std::round(100 * numbers[static_cast<std::size_t>(i)]));
    std::vector<double> weights(numbers.end() - 2 * cols, numbers.end());
    for (double& w : weights) w = std::round(50 * w);
    const double *x = weights.data(), *w = x + cols;
    for (const auto& [down, right] : {std::array<std::int64_t, 2>{gap, 1}, {1, tall}, {2 * gap, 2}}) {
        const tw::Matrix m{values.data(), tw::type_of<T>, rows, cols, down, right};
        std::vector<double> found(static_cast<std::size_t>(2 * rows), -1), plain = found, wanted(found.size());
        tw::row_sums(m, x, w, found.data(), found.data() + rows);
        tw::row_sums_plain(m, x, w, plain.data(), plain.data() + rows);
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j) {
                const double v = tw::load_element(m, i, j);
                wanted[static_cast<std::size_t>(i)] += v * x[j];
                wanted[static_cast<std::size_t>(rows + i)] += std::fabs(v) * w[j];
            }
        EXPECT_EQ(found, wanted) << rows << " x " << cols << ", steps " << down << " and " << right;
        EXPECT_EQ(plain, wanted) << rows << " x " << cols << ", steps " << down << " and " << right;
    }
}

TEST(RowSums, AreExactOfWholeNumbersHoweverTheyLie) {
    for (const auto& [rows, cols] :
         {std::array<std::int64_t, 2>{1, 1}, {3, 7}, {5, 8}, {70, 33}, {1037, 9}, {6, 250}}) {
        expect_exact_sums<double>(rows, cols);
        expect_exact_sums<float>(rows, cols);
        expect_exact_sums<tw::float16>(rows, cols);
        expect_exact_sums<tw::bfloat16>(rows, cols);
    }
}

int runs_left_wrong = 0;  // how many more runs of the faulty kernel spoil an element

tw::Status faulty(const tw::Call& call, const tw::Tile& tile) {
    const tw::Backend& cpu = *tw::find_backend("cpu");
    const tw::Status status = cpu.ladder.front()->run(call, tile);
    if (runs_left_wrong > 0) {
        --runs_left_wrong;
        tw::typed<float>(call.c)(call.m() - 1, 0) += 1;
    }
    return status;
}

TEST(VerifiedRun, IsRepairedOnceAndRefusedTwice) {
    const tw::Backend& cpu = *tw::find_backend("cpu");
    tw::Kernel wrong = *cpu.ladder.front();
    ASSERT_EQ(wrong.in, tw::Type::f32);
    wrong.run = faulty;
    for (const double beta : {0.0, 2.0})
        for (const int times : {0, 1, 2}) {
            Product<float> p(30, 20, 10), right(30, 20, 10);
            p.c.assign(p.c.size(), 3), right.c = p.c;
            right.run("r1_naive", {.beta = beta, .epilogue = tw::relu()});
            const tw::Matrix a = erase(p.av()), b = erase(p.bv()), c = erase(p.cv());
            tw::Plan plan;
            const tw::Options options{.beta = beta, .epilogue = tw::relu(), .kernel = "r1_naive"};
            ASSERT_TRUE(tw::try_plan(tw::problem_of(a, b, c, options), options, plan));
            plan.kernel = &wrong;
            runs_left_wrong = times;
            const tw::Status status = tw::run_verified(plan, plan, a, b, c, nullptr);
            EXPECT_EQ(status.code, times < 2 ? tw::Code::ok : tw::Code::verification_failed);
            EXPECT_EQ(same_bits(p.c, right.c), times < 2) << beta;
        }
}

}  // namespace
}  // namespace rules
