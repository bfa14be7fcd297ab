// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Small matrices for the BLAS door, and the answer by three plain loops in f64.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

template <class T>
std::vector<T> numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> between(-1, 1);
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T& value : values) value = static_cast<T>(between(random));
    return values;
}

/// A stored matrix and how it is looked at: element (i, j) of op(X).
template <class T>
struct Operand {
    const T* data;
    std::int64_t ld;
    bool by_rows, transposed;

    double operator()(std::int64_t i, std::int64_t j) const {
        return by_rows != transposed ? static_cast<double>(data[i * ld + j]) : static_cast<double>(data[i + j * ld]);
    }
};

/// Elementwise |C - (alpha A B + beta C0)| <= (k + 4) u (|alpha| |A||B| + |beta||C0|), where `wanted(i, j)`; C0
/// elsewhere.
template <class T, class Wanted>
void expect_product(const Operand<T>& a, const Operand<T>& b, const Operand<T>& c, const Operand<T>& c0, std::int64_t m,
                    std::int64_t n, std::int64_t k, double alpha, double beta, Wanted wanted) {
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
            if (!wanted(i, j)) {
                ASSERT_EQ(c(i, j), c0(i, j)) << "touched at " << i << ", " << j;
                continue;
            }
            double sum = 0, size = 0;
            for (std::int64_t p = 0; p < k; ++p) sum += a(i, p) * b(p, j), size += std::fabs(a(i, p) * b(p, j));
            const double right = alpha * sum + (beta == 0 ? 0 : beta * c0(i, j));
            size = std::fabs(alpha) * size + (beta == 0 ? 0 : std::fabs(beta * c0(i, j)));
            const double bound = static_cast<double>(k + 4) * std::numeric_limits<T>::epsilon() * size;
            ASSERT_FALSE(!(std::fabs(c(i, j) - right) <= bound))
                << c(i, j) << " for " << right << " at " << i << ", " << j;
        }
}

inline bool everywhere(std::int64_t, std::int64_t) { return true; }
