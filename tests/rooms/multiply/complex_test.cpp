// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Complex products by the front doors: conjugates are views, scalars have imaginary parts, and what there is no complex
// form of is refused with a sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"
#include "tilewright/tilewright.h"
#include "tilewright/tilewright.hpp"

namespace {

using tw::View;

/// Small whole numbers, so that every order of summation gives the very answer.
template <class C>
std::vector<C> integers(std::int64_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> uniform(-4, 4);
    std::vector<C> values(static_cast<std::size_t>(count));
    for (C& value : values) {
        const int re = uniform(engine), im = uniform(engine);
        value = C(static_cast<typename C::value_type>(re), static_cast<typename C::value_type>(im));
    }
    return values;
}

template <class C>
C element(const View<const C>& v, std::int64_t i, std::int64_t j) {
    return v.is_conj ? std::conj(v(i, j)) : v(i, j);
}

template <class C>
std::vector<C> product(const View<const C>& a, const View<const C>& b, const View<const C>& c0, C alpha, C beta) {
    std::vector<C> made;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < b.cols; ++j) {
            C sum = 0;
            for (std::int64_t p = 0; p < a.cols; ++p) sum += element(a, i, p) * element(b, p, j);
            made.push_back(alpha * sum + (beta == C(0) ? C(0) : beta * c0(i, j)));
        }
    return made;
}

/// Every row that this machine can run, and that takes so few rows or columns, and "" for choose()'s own.
template <class C>
std::vector<std::string> rows(std::int64_t m, std::int64_t n) {
    std::vector<std::string> names{""};
    const tw::Backend& cpu = *tw::find_backend("cpu");
    for (const tw::Kernel* kernel : cpu.ladder)
        if (kernel->in == tw::type_of<C> && (kernel->needs & ~cpu.features()) == 0 &&
            (!kernel->takes || kernel->takes({.m = m, .n = n, .k = 1})))
            names.emplace_back(kernel->name);
    return names;
}

template <class C>
class Complex : public testing::Test {};
using Types = testing::Types<std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(Complex, Types);

TEST(ComplexViews, Rule42_ARealMatrixIsItsOwnConjugate) {
    double x[6] = {};
    const View<double> real(x, 2, 3);
    EXPECT_FALSE(real.conjugated().is_conj);
    EXPECT_FALSE(tw::erase(real.adjoint()).is_conj);
    EXPECT_EQ(real.adjoint().rows, 3);
    std::complex<float> z[6] = {};
    const View<std::complex<float>> whole(z, 2, 3);
    const View<const std::complex<float>> adjoint = whole.adjoint();
    EXPECT_TRUE(adjoint.is_conj);
    EXPECT_EQ(adjoint.rows, 3);
    EXPECT_TRUE(adjoint.block(1, 0, 2, 1).is_conj);
    EXPECT_TRUE(tw::erase(adjoint).transposed().block(0, 0, 1, 1).is_conj);
    EXPECT_FALSE(adjoint.adjoint().is_conj);
    EXPECT_TRUE(tw::typed<const std::complex<float>>(tw::erase(adjoint)).is_conj);
}

template <class C>
void expect_views_are_read(std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto a = integers<C>(m * k, 1), b = integers<C>(k * n, 2);
    for (const std::string& row : rows<C>(m, n))
        for (int form = 0; form < 16; ++form) {
            View<const C> av = form & 1 ? View<const C>(a.data(), k, m).transposed() : View<const C>(a.data(), m, k);
            View<const C> bv = form & 2 ? View<const C>(b.data(), n, k).transposed() : View<const C>(b.data(), k, n);
            if (form & 4) av = av.conjugated();
            if (form & 8) bv = bv.conjugated();
            std::vector<C> c(static_cast<std::size_t>(m * n), std::numeric_limits<typename C::value_type>::quiet_NaN());
            tw::multiply(av, bv, View<C>(c.data(), m, n), {.kernel = row});
            EXPECT_EQ(c, (product<C>(av, bv, {}, C(1), C(0)))) << row << ", form " << form << ", " << m << 'x' << n;
        }
}

TYPED_TEST(Complex, Rule41_ConjugatesAndTransposesAreViews) {
    expect_views_are_read<TypeParam>(19, 21, 13);
    expect_views_are_read<TypeParam>(3, 70, 13);  // few rows
    expect_views_are_read<TypeParam>(70, 9, tw::test::is_sanitized ? 150 : 600);
}

TYPED_TEST(Complex, Rule41_ScalarsHaveImaginaryParts) {
    using C = TypeParam;
    constexpr std::int64_t m = 7, n = 30, k = 11;
    const auto a = integers<C>(m * k, 3), b = integers<C>(k * n, 4), c0 = integers<C>(m * n, 5);
    const View<const C> av(a.data(), m, k), bv(b.data(), k, n);
    for (const std::string& row : rows<C>(m, n))
        for (const C alpha : {C(1, 0), C(0, 1), C(2, -3), C(0, 0)})
            for (const C beta : {C(0, 0), C(1, 0), C(0, -1), C(-2, 4)})
                for (const bool by_columns : {false, true}) {
                    std::vector<C> c = c0;
                    const View<C> cv = by_columns ? tw::column_major(c.data(), m, n, m) : View<C>(c.data(), m, n);
                    const std::vector<C> wanted = product<C>(av, bv, cv, alpha, beta);
                    tw::multiply(av, bv, cv,
                                 {.alpha = alpha.real(),
                                  .alpha_imag = alpha.imag(),
                                  .beta = beta.real(),
                                  .beta_imag = beta.imag(),
                                  .kernel = row});
                    std::vector<C> got;
                    for (std::int64_t i = 0; i < m; ++i)
                        for (std::int64_t j = 0; j < n; ++j) got.push_back(cv(i, j));
                    EXPECT_EQ(got, wanted) << row << ' ' << alpha << ' ' << beta;
                }
}

TYPED_TEST(Complex, Rule41_SpecialPartsAreWhatFourProductsMakeOfThem) {
    using C = TypeParam;
    using Part = typename C::value_type;
    constexpr Part inf = std::numeric_limits<Part>::infinity(), nan = std::numeric_limits<Part>::quiet_NaN();
    const auto is = [](Part got, Part wanted) { return std::isnan(wanted) ? std::isnan(got) : got == wanted; };
    for (const std::string& row : rows<C>(1, 2)) {
        // (inf + 1i)(2 + 3i) = (inf - 3) + (inf + 2)i;  (inf + 1i) * 2 = inf + NaN i, since inf * 0 is NaN
        const C a[2] = {C(inf, 1), C(0, 0)}, b[4] = {C(2, 3), C(2, 0), C(1, 1), C(1, 1)};
        C c[2] = {C(nan, nan), C(nan, nan)};
        tw::multiply(View<const C>(a, 1, 2), View<const C>(b, 2, 2), View<C>(c, 1, 2), {.kernel = row});
        EXPECT_TRUE(is(c[0].real(), inf) && is(c[0].imag(), inf)) << row << c[0];
        EXPECT_TRUE(is(c[1].real(), inf) && is(c[1].imag(), nan)) << row << c[1];
        // Scaled by a real 2 each part is its own.
        C d[1] = {C(inf, 1)};
        tw::multiply(View<const C>(a + 1, 1, 1), View<const C>(b, 1, 1), View<C>(d, 1, 1), {.beta = 2, .kernel = row});
        EXPECT_TRUE(is(d[0].real(), inf) && is(d[0].imag(), 2)) << row << d[0];
    }
}

TYPED_TEST(Complex, Rule01_BetaZeroNeverReadsC) {
    using C = TypeParam;
    const auto a = integers<C>(4, 6);
    std::vector<C> c(4, C(std::numeric_limits<typename C::value_type>::signaling_NaN(), 0));
    const View<C> cv(c.data(), 2, 2);
    const View<const C> empty(a.data(), 2, 0), other(a.data(), 0, 2);
    tw::multiply(empty, other, cv);
    EXPECT_EQ(c, std::vector<C>(4, C(0)));
    const std::vector<C> before = integers<C>(4, 7);
    std::copy(before.begin(), before.end(), c.begin());
    tw::multiply(empty, other, cv, {.beta = 0, .beta_imag = 1});
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(c[i], C(-before[i].imag(), before[i].real()));
}

TYPED_TEST(Complex, TheEpilogueScalesAndAdds) {
    using C = TypeParam;
    constexpr std::int64_t m = 9, n = 5, k = 6;
    const auto a = integers<C>(m * k, 8), b = integers<C>(k * n, 9), r = integers<C>(m * n, 10);
    const View<const C> av(a.data(), m, k), bv(b.data(), k, n);
    const std::vector<C> sums = product<C>(av, bv, {}, C(1), C(0));
    for (const std::string& row : rows<C>(m, n)) {
        std::vector<C> c(m * n);
        tw::Epilogue epilogue = tw::residual(View<const C>(r.data(), m, n));
        epilogue.scale = 0.5;
        tw::multiply(av, bv, View<C>(c.data(), m, n), {.epilogue = epilogue, .kernel = row});
        for (std::size_t i = 0; i < c.size(); ++i)
            EXPECT_EQ(c[i], sums[i] * typename C::value_type(0.5) + r[i]) << row << ' ' << i;
    }
}

template <class C>
std::vector<C> random_values(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<typename C::value_type> normal;
    std::vector<C> values(count);
    for (C& value : values) value = C(normal(engine), normal(engine));
    return values;
}

TYPED_TEST(Complex, Rule37_BitsDependOnNeitherThreadsNorNeighbours) {
    using C = TypeParam;
    constexpr std::int64_t m = 150, n = 230, k = 700;
    const auto a = random_values<C>(m * k, 11), b = random_values<C>(k * n, 12);
    const View<const C> av(a.data(), m, k), bv(b.data(), k, n);
    std::vector<C> alone(m * n), c(m * n), row(n);
    const tw::Options same{.alpha = 0.3, .alpha_imag = 0.7, .reproducible = true, .threads = 1};
    tw::multiply(av.conjugated(), bv, View<C>(alone.data(), m, n), same);
    for (const int threads : {2, 3, 8}) {
        tw::Options options = same;
        options.threads = threads;
        tw::multiply(av.conjugated(), bv, View<C>(c.data(), m, n), options);
        EXPECT_EQ(std::memcmp(c.data(), alone.data(), c.size() * sizeof(C)), 0) << threads;
    }
    tw::multiply(av.block(77, 0, 1, k).conjugated(), bv, View<C>(row.data(), 1, n), same);
    EXPECT_EQ(std::memcmp(row.data(), alone.data() + 77 * n, row.size() * sizeof(C)), 0);
}

TYPED_TEST(Complex, Rule35_ABatchGivesTheBitsOfItsProducts) {
    using C = TypeParam;
    constexpr std::int64_t m = 12, n = 17, k = 40, size = 9;
    const auto a = random_values<C>(size * m * k, 13), b = random_values<C>(k * n, 14);
    std::vector<C> together(size * m * n), alone(size * m * n);
    const View<const C> av(a.data(), m, k), bv = View<const C>(b.data(), n, k).adjoint();
    const tw::Options options{.alpha = 2, .alpha_imag = 0.1};
    tw::multiply_batch(av, bv, View<C>(together.data(), m, n),
                       {.size = size, .a_step = m * k, .b_step = 0, .c_step = m * n}, options);
    for (std::int64_t i = 0; i < size; ++i)
        tw::multiply(View<const C>(a.data() + i * m * k, m, k), bv, View<C>(alone.data() + i * m * n, m, n), options);
    EXPECT_EQ(std::memcmp(together.data(), alone.data(), alone.size() * sizeof(C)), 0);
}

TYPED_TEST(Complex, Rule38_APackedOperandGivesTheBitsOfItself) {
    using C = TypeParam;
    constexpr std::int64_t m = 77, n = 59, k = 531;
    const auto a = random_values<C>(m * k, 15), b = random_values<C>(k * n, 16);
    const View<const C> av(a.data(), m, k), bv(b.data(), k, n), bt = View<const C>(b.data(), n, k).adjoint();
    std::vector<C> packed(m * n), plain(m * n);
    const auto expect_same = [&](const char* what) {
        EXPECT_EQ(std::memcmp(packed.data(), plain.data(), plain.size() * sizeof(C)), 0) << what;
    };
    for (const View<const C>& right : {bv, bv.conjugated(), bt})
        for (const int threads : {1, 2})
            for (const std::int64_t rows : {m, std::int64_t{1}}) {
                const tw::Options options{
                    .alpha = 0.5, .alpha_imag = -1, .threads = threads, .kernel = "r7_hierarchical_complex"};
                const View<C> cv(packed.data(), rows, n), dv(plain.data(), rows, n);
                const View<const C> left = av.block(0, 0, rows, k);
                tw::multiply(left, right, dv, options);
                tw::multiply(left, tw::pack(right, options), cv, options);
                expect_same("B");
                tw::multiply(tw::pack_a(left.conjugated(), options), right, cv, options);
                tw::multiply(left.conjugated(), right, dv, options);
                expect_same("A");
            }
}

TYPED_TEST(Complex, Rule40_SlabsAreAddedInTheirTree) {
    using C = TypeParam;
    constexpr std::int64_t m = 33, n = 41, k = 301;
    const auto a = random_values<C>(m * k, 17), b = random_values<C>(k * n, 18);
    const View<const C> av(a.data(), m, k), bv = View<const C>(b.data(), n, k).adjoint();
    const auto node = [&](std::int64_t first, std::int64_t length, int slabs) {
        std::vector<C> sum(m * n);
        tw::multiply(av.block(0, first, m, length), bv.block(first, 0, length, n), View<C>(sum.data(), m, n),
                     {.slabs = slabs, .threads = 2});
        return sum;
    };
    const std::vector<C> whole = node(0, k, 4), left = node(0, 151, 2), right = node(151, 150, 2);
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_EQ(whole[i], left[i] + right[i]) << i;

    // Scalars and C come to the root: of whole numbers exactly.
    const auto ai = integers<C>(m * k, 19), bi = integers<C>(k * n, 20), c0 = integers<C>(m * n, 21);
    const View<const C> aw(ai.data(), m, k), bw(bi.data(), k, n);
    std::vector<C> c = c0;
    tw::multiply(aw, bw, View<C>(c.data(), m, n),
                 {.alpha = 1, .alpha_imag = -2, .beta = 0, .beta_imag = 3, .slabs = 8});
    EXPECT_EQ(c, (product<C>(aw, bw, View<const C>(c0.data(), m, n), C(1, -2), C(0, 3))));
    const tw::Options packed_in_slabs{.slabs = 2};
    std::vector<C> packed(m * n), plain(m * n);
    tw::multiply(av, bv, View<C>(plain.data(), m, n), packed_in_slabs);
    tw::multiply(av, tw::pack(bv, packed_in_slabs), View<C>(packed.data(), m, n), packed_in_slabs);
    EXPECT_EQ(std::memcmp(packed.data(), plain.data(), plain.size() * sizeof(C)), 0);
}

/// The sentence of a call that must fail, with C left alone.
template <class A, class B, class C>
std::string refusal(View<A> a, View<B> b, View<C> c, const tw::Options& options = {}) {
    const tw::Status status = tw::try_multiply(a, b, c, options);
    EXPECT_FALSE(status);
    return tw::explain(status, tw::erase(a), tw::erase(b), tw::erase(c), options);
}

void expect_says(const std::string& sentence, const char* words) {
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
}

TEST(ComplexRefusals, Rule42_HaveASentenceEach) {
    float x[4] = {};
    std::complex<float> z[4] = {}, w[4] = {};
    std::complex<double> d[4] = {};
    const View<float> real(x, 2, 2);
    const View<std::complex<float>> a(z, 2, 2), c(w, 2, 2);
    expect_says(refusal(real, real, View<float>(x, 2, 2), {.alpha_imag = 1}),
                "alpha and beta of real operands are real");
    expect_says(refusal(real, real, View<float>(x, 2, 2), {.beta_imag = 1}),
                "alpha and beta of real operands are real");
    expect_says(refusal(real, a, c), "A and B must both be real or both be complex");
    expect_says(refusal(a, real, c), "A and B must both be real or both be complex");
    expect_says(refusal(a, a, real), "it must be complex where A and B are");
    expect_says(refusal(real, real, c), "it must be complex where A and B are");
    expect_says(refusal(a, View(d, 2, 2), c), "its type must be A's");
    expect_says(refusal(a, a, c.conjugated()), "it can't be a conjugate");
    expect_says(refusal(a, a, c, {.epilogue = tw::relu()}), "no bias and no activation");
    expect_says(refusal(a, a, c, {.epilogue = tw::bias(std::vector<float>(2))}), "no bias and no activation");
    expect_says(refusal(a, a, c, {.epilogue = tw::residual(real)}), "residual must be complex where C is");
    expect_says(refusal(a, a, c, {.verify = true}), "complex products are not verified");
    expect_says(refusal(a, a, c, {.device = "cuda:*"}), "complex products are one device's");
    expect_says(refusal(a, a, c, {.device = "cpu-check"}), "that device has no kernels for complex operands");
    expect_says(refusal(a, a, c, {.kernel = "r8_matrix_unit"}), "no kernel of that name");
}

TEST(ComplexInC, ConjugatesAreTypes) {
    const std::complex<double> a{1, 2}, b{3, -1};
    std::complex<double> c = 0;
    const auto matrix = [](const std::complex<double>& x, tw_type type) {
        return tw_matrix{const_cast<std::complex<double>*>(&x), type, 1, 1, 1, 1};
    };
    const tw_matrix am = matrix(a, TW_C128_CONJ), bm = matrix(b, TW_C128), cm = matrix(c, TW_C128);
    tw_options options = tw_default_options();
    options.alpha = 0, options.alpha_imag = 1;
    ASSERT_EQ(tw_multiply(&am, &bm, &cm, &options), TW_OK) << tw_last_error();
    EXPECT_EQ(c, std::complex<double>(0, 1) * std::conj(a) * b);
    const tw_matrix conjugate = matrix(c, TW_C128_CONJ);
    EXPECT_EQ(tw_multiply(&am, &bm, &conjugate, nullptr), TW_BAD_ARGUMENT);
    options.size = offsetof(tw_options, alpha_imag);  // of an older caller: what lies behind is not read
    options.alpha = 1;
    ASSERT_EQ(tw_multiply(&am, &bm, &cm, &options), TW_OK) << tw_last_error();
    EXPECT_EQ(c, std::conj(a) * b);
}

}  // namespace
