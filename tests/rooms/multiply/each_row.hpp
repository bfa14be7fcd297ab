// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A rule holds on every path: these tests run through each row of the CPU's ladder that this machine can run, and
// through the one that choose() takes.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"
#include "tilewright/multiply.hpp"

namespace rules {

template <class T>
inline constexpr T nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();

/// The thread sanitizer watches each access and takes a hundred times as long: there, products have a quarter of the
/// rows or columns. Loops are the same.
using tw::test::is_sanitized;
inline constexpr std::int64_t shrink = tw::test::under_tsan || tw::test::under_msan ? 4 : 1;

/// The names of the rows for T, and "" for choose()'s own.
template <class T>
std::vector<std::string> rows() {
    std::vector<std::string> names{""};
    const tw::Backend& cpu = *tw::find_backend("cpu");
    for (const tw::Kernel* kernel : cpu.ladder)
        if (kernel->in == tw::type_of<T> && (kernel->needs & ~cpu.features()) == 0 &&
            tw::certificate(*kernel, 100) <= tw::promise({}, kernel->in, 100))
            names.emplace_back(kernel->name);
    return names;
}

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::vector<T> values(count);
    for (T& value : values) value = uniform(engine);
    return values;
}

template <class T>
std::vector<T> random_integers(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_int_distribution<int> uniform(-8, 8);
    std::vector<T> values(count);
    for (T& value : values) value = static_cast<T>(uniform(engine));
    return values;
}

/// Operands of one product, packed row by row, and a call by any row of the ladder.
template <class T>
struct Product {
    std::int64_t m, n, k;
    std::vector<T> a, b, c;

    Product(std::int64_t rows, std::int64_t cols, std::int64_t inner)
        : m(rows),
          n(cols),
          k(inner),
          a(random_values<T>(static_cast<std::size_t>(m * k), 1)),
          b(random_values<T>(static_cast<std::size_t>(k * n), 2)),
          c(static_cast<std::size_t>(m * n), nan<T>) {}

    tw::View<T> av() { return {a.data(), m, k}; }
    tw::View<T> bv() { return {b.data(), k, n}; }
    tw::View<T> cv() { return {c.data(), m, n}; }

    void run(const std::string& row, tw::Options options = {}) {
        options.kernel = row;
        tw::multiply(av(), bv(), cv(), options);
    }
};

template <class T>
bool same_bits(const std::vector<T>& x, const std::vector<T>& y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size() * sizeof(T)) == 0);
}

template <class T>
class EachRow : public testing::Test {};
using Types = testing::Types<float, double>;

}  // namespace rules
