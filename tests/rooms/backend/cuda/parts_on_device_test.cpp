// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows that cut k, and those of 17 to 128 rows, on a device: exact on whole numbers however the operands lie, with what
// comes after the sums, with what is not finite, and in batches.
#include <cmath>
#include <limits>
#include <map>
#include <memory>

#include "rooms/backend/cuda/on_device.hpp"

namespace on_device {
namespace {

class Parts : public OnDevice {};

bool is_of(const Kernel& kernel, std::string_view file) {
    return std::string_view(kernel.name).substr(5).starts_with(file);
}

/// -1, 0 or 1, without a period: sums of some thousand products are exact in any order.
double whole_number(std::int64_t i) {
    auto x = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u;
    x ^= x >> 29, x *= 0xBF58476D1CE4E5B9u, x ^= x >> 32;
    return static_cast<double>(x % 3) - 1;
}

struct Lies {
    bool a_by_columns, b_by_columns, c_by_columns;
    std::int64_t from;  ///< the first element, from an aligned address
};

/// One product of whole numbers on the device, and what it should be.
struct Whole {
    std::int64_t m, n, k;
    Lies lies;
    Values a, b, c;
    std::vector<double> old, right;

    Whole(const Kernel& kernel, std::int64_t rows, std::int64_t cols, std::int64_t depth, const Lies& how)
        : m(rows),
          n(cols),
          k(depth),
          lies(how),
          a(kernel.in, m * k + 1, 1),
          b(kernel.in, k * n + 1, 2),
          c(kernel.out, m * n, 3) {
        for (std::int64_t i = 0; i <= m * k; ++i) store_element(a.on_host(), 0, i, whole_number(i));
        for (std::int64_t i = 0; i <= k * n; ++i) store_element(b.on_host(), 0, i, whole_number(~i));
        for (std::int64_t i = 0; i < m * n; ++i) store_element(c.on_host(), 0, i, whole_number(i + 77));
        a.send(), b.send(), c.send();
        for (std::int64_t i = 0; i < m * n; ++i) old.push_back(c[i]);
        std::vector<double> left, across;
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t x = 0; x < k; ++x)
                left.push_back(a[lies.from + (lies.a_by_columns ? x * m + i : i * k + x)]);
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t x = 0; x < k; ++x)
                across.push_back(b[lies.from + (lies.b_by_columns ? j * k + x : x * n + j)]);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j) {
                double sum = 0;
                for (std::int64_t x = 0; x < k; ++x)
                    sum += left[static_cast<std::size_t>(i * k + x)] * across[static_cast<std::size_t>(j * k + x)];
                right.push_back(sum);
            }
    }
    /// For another row of the same types.
    void renew() {
        for (std::int64_t i = 0; i < m * n; ++i) store_element(c.on_host(), 0, i, old[static_cast<std::size_t>(i)]);
        c.send();
    }
    std::int64_t place(std::int64_t i, std::int64_t j) const { return lies.c_by_columns ? j * m + i : i * n + j; }
    double answer(std::int64_t i, std::int64_t j) const { return right[static_cast<std::size_t>(i * n + j)]; }
    Status multiply(const Options& options) const {
        return try_multiply(lies.a_by_columns ? a.columns(m, k, lies.from) : a.rows(m, k, lies.from),
                            lies.b_by_columns ? b.columns(k, n, lies.from) : b.rows(k, n, lies.from),
                            lies.c_by_columns ? c.columns(m, n) : c.rows(m, n), options);
    }
};

template <class F>
void each_row(const F& f) {
    for (const Kernel* kernel : cuda().ladder)
        if (runs(*kernel) &&
            (is_of(*kernel, "few_tiles") || is_of(*kernel, "few_rows_split") || is_of(*kernel, "few_rows_anywhere") ||
             is_of(*kernel, "few_rows_wide") || is_of(*kernel, "few_steps")) &&
            kernel->out != Type::bf16 && kernel->out != Type::f16 && !is_complex(kernel->in))
            f(*kernel);
}

/// f(row, product) for all rows, with one product of each pair of types.
template <class F>
void each_row_with(std::int64_t m, std::int64_t n, std::int64_t k, const Lies& lies, const F& f) {
    std::map<std::pair<Type, Type>, std::unique_ptr<Whole>> made;
    each_row([&](const Kernel& kernel) {
        std::unique_ptr<Whole>& one = made[{kernel.in, kernel.out}];
        if (one) one->renew();
        else one = std::make_unique<Whole>(kernel, m, n, k, lies);
        f(kernel, *one);
    });
}

constexpr std::tuple<std::int64_t, std::int64_t, std::int64_t> shapes[] = {
    {20, 140, 1100}, {33, 132, 1027}, {130, 40, 2052}, {100, 260, 600}, {17, 600, 260}, {3, 5, 9001}};

TEST_F(Parts, AreExactHoweverTheOperandsLie) {
    int taken = 0;
    for (const auto& [m, n, k] : shapes)
        for (const int bits : {0, 2, 5})
            for (const std::int64_t from : {0, 1}) {
                if (from == 1 && bits == 5) continue;
                const double beta = bits % 3 == 0 ? 0.5 : 0;
                const Lies lies{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, from};
                each_row_with(m, n, k, lies, [&](const Kernel& kernel, Whole& one) {
                    if (!has_its_turn(5) || !one.multiply({.beta = beta, .kernel = kernel.name}).is_ok()) return;
                    ++taken;
                    one.c.bring();
                    for (std::int64_t i = 0; i < one.m; ++i)
                        for (std::int64_t j = 0; j < one.n; ++j) {
                            const std::int64_t at = one.place(i, j);
                            ASSERT_EQ(one.c[at], one.answer(i, j) + beta * one.old[static_cast<std::size_t>(at)])
                                << kernel.name << ' ' << one.m << 'x' << one.n << 'x' << one.k << " bits " << bits
                                << " from " << from << " at " << i << ' ' << j;
                        }
                });
            }
    EXPECT_GT(taken, test::is_thinned() ? 4 : 40) << "the rows take hardly anything";
}

TEST_F(Parts, AddABiasAndAResidualOnceAtTheEnd) {
    for (const bool across : {false, true})
        for (const auto& [m, n, k] : shapes)
            each_row_with(m, n, k, {false, true, across, 0}, [&](const Kernel& kernel, Whole& one) {
                if (!kernel.fuses_epilogue || !has_its_turn(1)) return;
                Values bias(Type::f32, one.n, 5), residual(kernel.out, one.m * one.n, 6);
                for (std::int64_t j = 0; j < one.n; ++j)
                    store_element(bias.on_host(), 0, j, static_cast<double>(j % 7));
                for (std::int64_t i = 0; i < one.m * one.n; ++i)
                    store_element(residual.on_host(), 0, i, static_cast<double>(i % 5));
                bias.send(), residual.send();
                Options options{.kernel = kernel.name};
                options.epilogue = {
                    .scale = 2, .bias = bias.data(), .bias_size = one.n, .activation = Activation::relu};
                options.epilogue.residual = residual.rows(one.m, one.n);
                if (!one.multiply(options).is_ok()) return;
                one.c.bring();
                for (std::int64_t i = 0; i < one.m; ++i)
                    for (std::int64_t j = 0; j < one.n; ++j)
                        ASSERT_EQ(one.c[one.place(i, j)],
                                  std::max(0.0, 2 * one.answer(i, j) + static_cast<double>(j % 7)) +
                                      static_cast<double>((i * one.n + j) % 5))
                            << kernel.name << ' ' << one.m << 'x' << one.n << 'x' << one.k << " at " << i << ' ' << j;
            });
}

/// An Inf makes Inf or NaN of its row and no other, a number near the largest none at all; a NaN of all ones, as a
/// device makes them, stays one.
TEST_F(Parts, KeepWhatIsNotFiniteToItsRow) {
    each_row([&](const Kernel& kernel) {
        if (kernel.in != Type::f32) return;
        constexpr std::int64_t m = 40, n = 132, k = 1100;
        Whole one(kernel, m, n, k, {false, true, false, 0});
        const double largest = std::numeric_limits<float>::max();
        store_element(one.a.on_host(), 0, 3 * k + 700, std::numeric_limits<double>::infinity());
        for (std::int64_t x = 0; x < k; ++x) store_element(one.a.on_host(), 0, 5 * k + x, x == 9 ? largest : 0);
        static_cast<std::uint32_t*>(one.a.on_host().data)[7 * k + 33] = 0x7fffffff;
        one.a.send();
        const Status status = one.multiply({.kernel = kernel.name});
        if (!status.is_ok()) return;
        one.c.bring();
        for (std::int64_t j = 0; j < n; ++j) {
            EXPECT_TRUE(std::isnan(one.c[7 * n + j])) << kernel.name << ' ' << j;
            const double of_inf = one.b[j * k + 700], of_largest = one.b[j * k + 9];
            EXPECT_TRUE(of_inf == 0 ? std::isnan(one.c[3 * n + j]) : std::isinf(one.c[3 * n + j])) << kernel.name << j;
            EXPECT_NEAR(one.c[5 * n + j] / largest, of_largest, kernel.scheme->split_loss) << kernel.name << ' ' << j;
            EXPECT_EQ(one.c[4 * n + j], one.answer(4, j)) << kernel.name << ' ' << j;
        }
    });
}

TEST_F(Parts, InBatchesHaveTheBitsOfEachAlone) {
    each_row([&](const Kernel& kernel) {
        if (!kernel.batching) return;
        constexpr std::int64_t n = 64, k = 2600, count = 3;
        const std::int64_t m = is_of(kernel, "few_rows_wide") ? 6 : 24;
        const Values a(kernel.in, count * m * k, 1), b(kernel.in, count * k * n, 2);
        Values together(kernel.out, count * m * n, 3), alone(kernel.out, count * m * n, 4);
        const Options options{.kernel = kernel.name};
        const Batch batch{.size = count, .a_step = m * k, .b_step = k * n, .c_step = m * n};
        const Status status = try_multiply_batch(a.rows(m, k), b.columns(k, n), together.rows(m, n), batch, options);
        ASSERT_TRUE(status.is_ok()) << kernel.name << ": " << status.text;
        for (std::int64_t i = 0; i < count; ++i)
            ASSERT_TRUE(
                try_multiply(a.rows(m, k, i * m * k), b.columns(k, n, i * k * n), alone.rows(m, n, i * m * n), options)
                    .is_ok());
        EXPECT_TRUE(together.bring() == alone.bring()) << kernel.name;
    });
}

}  // namespace
}  // namespace on_device
