// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A complex product is a real one of twice the columns and twice the terms:
//
//      (a + bi) (c + di)          [ a b ] x [ c  d ]  =  [ ac - bd   ad + bc ]
//                                           [-d  c ]
//
// So the real answer's sums, magnitudes and special values are those of the parts.
#include "reference/complex_answer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/element.hpp"
#include "base/f32_rounding.hpp"
#include "reference/compensated.hpp"

namespace tw::reference {
namespace {

/// A real matrix of its own.
struct Expanded {
    std::vector<std::byte> bytes;
    Matrix matrix;

    Expanded(Type type, std::int64_t rows, std::int64_t cols)
        : bytes(static_cast<std::size_t>(rows * cols) * size_of(type)), matrix{bytes.data(), type, rows, cols, cols} {}
};

/// The rows named: each element is its two parts.
Expanded expanded_a(const Matrix& a, std::span<const std::int64_t> rows) {
    Expanded made(part_of(a.type), std::ssize(rows), 2 * a.cols);
    for (std::int64_t r = 0; r < std::ssize(rows); ++r)
        for (std::int64_t p = 0; p < a.cols; ++p) {
            const std::complex<double> x = load_complex(a, rows[static_cast<std::size_t>(r)], p);
            store_element(made.matrix, r, 2 * p, x.real());
            store_element(made.matrix, r, 2 * p + 1, x.imag());
        }
    return made;
}

/// Each element is itself, and below that i times itself.
Expanded expanded_b(const Matrix& b) {
    Expanded made(part_of(b.type), 2 * b.rows, 2 * b.cols);
    for (std::int64_t p = 0; p < b.rows; ++p)
        for (std::int64_t j = 0; j < b.cols; ++j) {
            const std::complex<double> x = load_complex(b, p, j);
            store_element(made.matrix, 2 * p, 2 * j, x.real());
            store_element(made.matrix, 2 * p, 2 * j + 1, x.imag());
            store_element(made.matrix, 2 * p + 1, 2 * j, -x.imag());
            store_element(made.matrix, 2 * p + 1, 2 * j + 1, x.real());
        }
    return made;
}

double finite_or_zero(double x) { return std::isfinite(x) ? std::fabs(x) : 0; }

/// A part of an element on its way through alpha, beta and the epilogue.
struct Part {
    Twice value;
    double magnitude = 0, reach = 0;
};
struct Pair {
    Part re, im;
};

/// 0 times terms whose sum is beyond the largest number is still 0.
Part scaled(double factor, const Part& x) {
    const double magnitude = factor == 0 ? 0 : finite_or_zero(factor) * x.magnitude;
    return {multiply(factor, x.value), magnitude, std::max(x.reach, magnitude)};
}
Part sum(const Part& x, const Part& y) {
    return {add(x.value, y.value), x.magnitude + y.magnitude, std::max({x.reach, y.reach, x.magnitude + y.magnitude})};
}

/// A real factor scales each part, so that an Inf in one is no NaN in the other.
Pair times(std::complex<double> factor, const Pair& x) {
    const double re = factor.real(), im = factor.imag();
    if (im == 0) return {scaled(re, x.re), scaled(re, x.im)};
    return {sum(scaled(re, x.re), scaled(-im, x.im)), sum(scaled(re, x.im), scaled(im, x.re))};
}
Pair sum(const Pair& x, const Pair& y) { return {sum(x.re, y.re), sum(x.im, y.im)}; }

Pair pair_of(std::complex<double> x) {
    const auto part = [](double y) { return Part{{y, 0}, finite_or_zero(y), finite_or_zero(y)}; };
    return {part(x.real()), part(x.imag())};
}

std::complex<double> rounded_as(Type type, double re, double im) {
    if (type == Type::c128) return {re, im};
    return {rounded_to_f32(re), rounded_to_f32(im)};
}

}  // namespace

Answer complex_answer(const Question& q, std::span<const std::int64_t> wanted, int threads) {
    Answer made;
    made.rows.assign(wanted.begin(), wanted.end());
    if (wanted.empty()) {
        made.rows.resize(static_cast<std::size_t>(q.m()));
        std::iota(made.rows.begin(), made.rows.end(), 0);
    }
    made.cols = 2 * q.n();
    const std::complex<double> alpha = rounded_as(q.a.type, q.alpha, q.alpha_imag),
                               beta = rounded_as(q.a.type, q.beta, q.beta_imag);
    Answer sums;
    if (alpha != 0.0) {
        const Expanded a = expanded_a(q.a, made.rows), b = expanded_b(q.b);
        sums = answer({.a = a.matrix, .b = b.matrix}, {}, threads);
    }
    const std::size_t numbers = made.rows.size() * static_cast<std::size_t>(made.cols);
    for (std::vector<double>* each : {&made.value, &made.rest, &made.magnitude, &made.reach}) each->resize(numbers);

    for (std::size_t r = 0; r < made.rows.size(); ++r)
        for (std::int64_t j = 0; j < q.n(); ++j) {
            const std::size_t at = made.at(r, 2 * j);
            Pair x;
            if (alpha != 0.0) {
                const auto part = [&](std::size_t p) {
                    return Part{{sums.value[p], sums.rest[p]}, sums.magnitude[p], sums.reach[p]};
                };
                x = times(alpha, {part(at), part(at + 1)});
            }
            if (beta != 0.0) x = sum(x, times(beta, pair_of(load_complex(q.c0, made.rows[r], j))));
            if (q.epilogue.scale != 1) x = times(q.epilogue.scale, x);
            if (q.epilogue.residual.data) x = sum(x, pair_of(load_complex(q.epilogue.residual, made.rows[r], j)));
            const auto put = [&](std::size_t p, const Part& part) {
                made.value[p] = part.value.hi, made.rest[p] = part.value.lo;
                made.magnitude[p] = part.magnitude, made.reach[p] = std::max(part.reach, part.magnitude);
            };
            put(at, x.re);
            put(at + 1, x.im);
        }
    return made;
}

}  // namespace tw::reference
