// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Few rows on a device: a row's bits stay what they are beside any number of others, and what TMA can't fetch is taken
// as it lies.
#include <cstring>

#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class FewRows : public OnDevice {};

/// The first row of C, of a product with m rows of A.
std::vector<std::byte> first_row(Type type, std::int64_t m, std::int64_t n, std::int64_t k, bool by_columns) {
    const Values a(type, 64 * k, 1), b(type, k * n, 2);
    Values c(type, m * n, 3);
    const Status status =
        try_multiply(a.rows(m, k), by_columns ? b.columns(k, n) : b.rows(k, n), c.rows(m, n), {.reproducible = true});
    EXPECT_TRUE(status.is_ok()) << status.text;
    std::vector<std::byte> all = c.bring();
    all.resize(static_cast<std::size_t>(n) * size_of(type));
    return all;
}

TEST_F(FewRows, ReproducibleRowsHaveTheBitsOfALargeProducts) {
    for (const Type type : {Type::bf16, Type::f16})
        for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{520, 64}, {72, 1000}, {4096, 4096}, {71, 333}})
            for (const bool by_columns : {true, false}) {
                if (!has_its_turn(3) || (test::is_thinned() && k == 4096)) continue;
                const auto expected = first_row(type, 40, n, k, by_columns);
                for (const std::int64_t m : {1, 2, 7, 8, 9, 16, 17})
                    EXPECT_TRUE(first_row(type, m, n, k, by_columns) == expected)
                        << name_of(type) << ' ' << m << 'x' << n << 'x' << k << (by_columns ? " NT" : " NN");
            }
}

/// -1, 0 or 1, without a period: sums of 261 products are exact in any order, and bf16 holds them.
double whole_number(std::int64_t i) {
    auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9u, x ^= x >> 32;
    return static_cast<double>(x % 3) - 1;
}

/// Every row, every way that the operands lie: where TMA can fetch them, and where it can't.
TEST_F(FewRows, AreExactHoweverTheOperandsLie) {
    constexpr std::int64_t m = 5;
    const auto compare = [&](const Kernel& kernel, std::int64_t n, std::int64_t k, bool a_by_columns, bool b_by_columns,
                             std::int64_t from) {
        Values a(kernel.in, m * k + 1, 1), b(kernel.in, k * n + 1, 2), c(kernel.out, m * n, 3);
        for (std::int64_t i = 0; i <= m * k; ++i) store_element(a.on_host(), 0, i, whole_number(i));
        for (std::int64_t i = 0; i <= k * n; ++i) store_element(b.on_host(), 0, i, whole_number(~i));
        a.send(), b.send();
        const Status status = try_multiply(a_by_columns ? a.columns(m, k, from) : a.rows(m, k, from),
                                           b_by_columns ? b.columns(k, n, from) : b.rows(k, n, from), c.rows(m, n),
                                           {.kernel = kernel.name});
        if (!status.is_ok()) return;  // a row of one way alone
        c.bring();
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double right = 0;
                for (std::int64_t x = 0; x < k; ++x)
                    right += a[from + (a_by_columns ? x * m + i : i * k + x)] *
                             b[from + (b_by_columns ? j * k + x : x * n + j)];
                ASSERT_EQ(c[i * n + j], right)
                    << kernel.name << (a_by_columns ? " T" : " N") << (b_by_columns ? "T" : "N") << ' ' << n << 'x' << k
                    << " from " << from << " at " << i << ' ' << j;
            }
    };
    for (const Kernel* kernel : cuda().ladder) {
        if (kernel->rung != Rung::none || !runs(*kernel) || is_complex(kernel->in)) continue;
        for (const auto& [n, k] : {std::pair<std::int64_t, std::int64_t>{75, 261}, {80, 264}})
            for (const bool a_by_columns : {false, true})
                for (const bool b_by_columns : {false, true})
                    for (const std::int64_t from : {0, 1})
                        if (has_its_turn(11)) compare(*kernel, n, k, a_by_columns, b_by_columns, from);
    }
}

}  // namespace
}  // namespace on_device
