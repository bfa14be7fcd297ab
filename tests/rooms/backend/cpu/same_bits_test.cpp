// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows that publish an order of summation (Kernel::order): a result's bits depend on its row of A, its column of B
// and k. Not on threads, nor on m and n, nor on where and how the operands lie.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"
#include "tilewright/tilewright.hpp"

namespace {

using namespace tw;

template <class T>
class SameBits : public testing::Test {
protected:
    static constexpr std::int64_t m = 83, n = 131, k = 1111;  // several blocks of k, a sliver at each edge

    std::vector<T> a_, b_, c0_;
    SameBits() : a_(values(m * k, 1)), b_(values(k * n, 2)), c0_(values(m * n, 3)) {}

    static std::vector<T> values(std::int64_t count, unsigned seed) {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<T> uniform(-1, 1);
        std::vector<T> filled(static_cast<std::size_t>(count));
        for (T& value : filled) value = uniform(engine);
        return filled;
    }

    View<const T> a() const { return {a_.data(), m, k}; }
    View<const T> b() const { return {b_.data(), k, n}; }

    static std::vector<const Kernel*> rows() {
        std::vector<const Kernel*> ordered;
        for (const Kernel* kernel : cpu::backend().ladder)
            if (kernel->order != 0 && kernel->in == type_of<T> && (kernel->needs & ~cpu::backend().features()) == 0)
                ordered.push_back(kernel);
        return ordered;
    }

    /// And those of the matrix unit by parts, on emulated tiles.
    static std::vector<const Kernel*> rows_and_emulated_ones() {
        std::vector<const Kernel*> all = rows();
        for (const Kernel* kernel : cpu::check_backend().ladder)
            if (kernel->in == type_of<T> && (kernel->scheme == &bf16x3 || kernel->scheme == &bf16x6))
                all.push_back(kernel);
        return all;
    }
    static std::string_view device_of(const char* row) {
        return std::string_view(row).starts_with("cpu-check") ? "cpu-check" : "";
    }

    /// alpha A B + beta C0 in row-major order.
    std::vector<T> product(const char* row, View<const T> a, View<const T> b, Options options = {}) const {
        std::vector<T> c(static_cast<std::size_t>(a.rows * b.cols));
        for (std::int64_t i = 0; i < a.rows; ++i)
            for (std::int64_t j = 0; j < b.cols; ++j)
                c[static_cast<std::size_t>(i * b.cols + j)] = c0_[static_cast<std::size_t>(i * n + j)];
        options.kernel = row;
        options.device = device_of(row);
        options.alpha = 0.7;
        options.beta = 1.3;
        multiply(a, b, View<T>(c.data(), a.rows, b.cols), options);
        return c;
    }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(SameBits, Types);

TYPED_TEST(SameBits, ForAnyNumberOfThreads) {
    for (const Kernel* row : this->rows()) {
        const auto alone = this->product(row->name, this->a(), this->b(), {.threads = 1});
        for (int threads = 2; threads <= 8; ++threads) {
            if (!test::has_its_turn(3)) continue;
            EXPECT_EQ(alone, this->product(row->name, this->a(), this->b(), {.threads = threads}))
                << row->name << ", " << threads << " threads";
        }
    }
}

TYPED_TEST(SameBits, ForAnyBlockOfTheSameProduct) {
    using Block = std::array<std::int64_t, 2>;  // from the first row and column on: C0 is the same there
    for (const Kernel* row : this->rows()) {
        const auto whole = this->product(row->name, this->a(), this->b());
        for (const auto& [rows, cols] : {Block{1, 131}, Block{83, 1}, Block{1, 1}, Block{2, 40}, Block{7, 131},
                                         Block{48, 33}, Block{14, 32}, Block{83, 3}, Block{13, 5}}) {
            const auto part = this->product(row->name, this->a().block(0, 0, rows, this->k),
                                            this->b().block(0, 0, this->k, cols), {.threads = 2});
            for (std::int64_t i = 0; i < rows; ++i)
                for (std::int64_t j = 0; j < cols; ++j)
                    ASSERT_EQ(part[static_cast<std::size_t>(i * cols + j)],
                              whole[static_cast<std::size_t>(i * this->n + j)])
                        << row->name << ", " << rows << " x " << cols << " at " << i << ", " << j;
        }
    }
}

TYPED_TEST(SameBits, WhereThreadsShareOutBlocksOfK) {
    using Block = std::array<std::int64_t, 2>;
    using T = TypeParam;
    constexpr auto m = TestFixture::m, n = TestFixture::n, k = TestFixture::k;
    std::vector<T> a_columns(m * k), b_columns(k * n);
    const auto a_turned = column_major(a_columns.data(), m, k, m), b_turned = column_major(b_columns.data(), k, n, k);
    for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i) a_turned(i, p) = this->a()(i, p);
        for (std::int64_t j = 0; j < n; ++j) b_turned(p, j) = this->b()(p, j);
    }
    using Operands = std::pair<View<const T>, View<const T>>;
    const View<const T> a_by_columns(a_turned), b_by_columns(b_turned);
    for (const Kernel* row : this->rows()) {
        const auto whole = this->product(row->name, this->a(), this->b(), {.threads = 1});
        for (const auto& [a, b] :
             {Operands{this->a(), this->b()}, Operands{this->a(), b_by_columns}, Operands{a_by_columns, this->b()}})
            for (const auto& [rows, cols] : {Block{29, 40}, Block{60, 16}, Block{83, 17}, Block{48, 33}, Block{8, 120},
                                             Block{5, 131}, Block{80, 130}}) {
                if (!test::has_its_turn(3)) continue;
                const auto part =
                    this->product(row->name, a.block(0, 0, rows, k), b.block(0, 0, k, cols), {.threads = 16});
                for (std::int64_t i = 0; i < rows; ++i)
                    for (std::int64_t j = 0; j < cols; ++j)
                        ASSERT_EQ(part[static_cast<std::size_t>(i * cols + j)],
                                  whole[static_cast<std::size_t>(i * n + j)])
                            << row->name << ", " << rows << " x " << cols << " at " << i << ", " << j;
            }
    }
}

TYPED_TEST(SameBits, WhereTheSumsOfAllBlocksOfKNeverWaitTogether) {
    using T = TypeParam;
    constexpr std::int64_t m = test::is_sanitized ? 56 : 120, n = test::is_sanitized ? 96 : 200, k = 90'000 / sizeof(T);
    const std::vector<T> a = this->values(m * k, 4), b = this->values(k * n, 5);
    for (const Kernel* row : this->rows()) {
        if (row->rung != Rung::vectorized) continue;
        std::vector<T> c(m * n, T(1)), with_threads = c;
        const auto multiplied = [&](std::vector<T>& to, int threads) {
            multiply(View<const T>(a.data(), m, k), View<const T>(b.data(), k, n), View<T>(to.data(), m, n),
                     {.alpha = 0.7, .beta = 1.3, .threads = threads, .kernel = row->name});
        };
        multiplied(c, 1);
        multiplied(with_threads, 16);
        EXPECT_EQ(c, with_threads) << row->name;
    }
}

TYPED_TEST(SameBits, ForAFewRowsByColumnsAndAFewColumnsByRows) {
    using T = TypeParam;
    constexpr auto m = TestFixture::m, n = TestFixture::n, k = TestFixture::k;
    std::vector<T> b_columns(k * n);
    const auto b = column_major(b_columns.data(), k, n, k);
    for (std::int64_t p = 0; p < k; ++p)
        for (std::int64_t j = 0; j < n; ++j) b(p, j) = this->b()(p, j);
    const auto expect_part = [&](const Kernel& row, const std::vector<T>& whole, std::int64_t rows, std::int64_t cols) {
        const auto part =
            this->product(row.name, this->a().block(0, 0, rows, k), b.block(0, 0, k, cols), {.threads = 2});
        for (std::int64_t i = 0; i < rows; ++i)
            for (std::int64_t j = 0; j < cols; ++j)
                ASSERT_EQ(part[static_cast<std::size_t>(i * cols + j)], whole[static_cast<std::size_t>(i * n + j)])
                    << row.name << ", " << rows << " x " << cols << " at " << i << ", " << j;
    };
    for (const Kernel* row : this->rows()) {
        const auto whole = this->product(row->name, this->a(), this->b());
        for (std::int64_t few = 1; few <= 7; ++few) {
            for (const std::int64_t cols : {std::int64_t{3}, std::int64_t{40}, n}) expect_part(*row, whole, few, cols);
            for (const std::int64_t rows : {std::int64_t{9}, m}) expect_part(*row, whole, rows, few);
        }
    }
}

TYPED_TEST(SameBits, WhereverTheOperandsLie) {
    using T = TypeParam;
    constexpr auto m = TestFixture::m, n = TestFixture::n, k = TestFixture::k;
    std::vector<T> a_columns(m * k), b_columns(k * n), a_shifted(m * (k + 5) + 3), b_shifted(k * (2 * n + 1) + 1);
    const auto a_turned = column_major(a_columns.data(), m, k, m), b_turned = column_major(b_columns.data(), k, n, k);
    const View<T> a_far(a_shifted.data() + 3, m, k, k + 5), b_far(b_shifted.data() + 1, k, n, 2 * n + 1, 2);
    for (std::int64_t p = 0; p < k; ++p) {
        for (std::int64_t i = 0; i < m; ++i) a_turned(i, p) = a_far(i, p) = this->a()(i, p);
        for (std::int64_t j = 0; j < n; ++j) b_turned(p, j) = b_far(p, j) = this->b()(p, j);
    }
    for (const Kernel* row : this->rows_and_emulated_ones()) {
        const auto plain = this->product(row->name, this->a(), this->b());
        EXPECT_EQ(plain, this->product(row->name, a_turned, b_turned)) << row->name << ", columns";
        EXPECT_EQ(plain, this->product(row->name, a_far, b_far)) << row->name << ", steps and offsets";

        std::vector<T> c_columns(m * n), c_gaps(2 * m * n);  // C in columns, and C with no contiguous rows or columns
        const auto c_turned = column_major(c_columns.data(), m, n, m);
        const View<T> c_far(c_gaps.data(), m, n, 2 * n, 2);
        for (std::int64_t i = 0; i < m; ++i)
            for (std::int64_t j = 0; j < n; ++j)
                c_turned(i, j) = c_far(i, j) = this->c0_[static_cast<std::size_t>(i * n + j)];
        for (const View<T>& c : {c_turned, c_far}) {
            multiply(this->a(), this->b(), c,
                     {.alpha = 0.7, .beta = 1.3, .device = this->device_of(row->name), .kernel = row->name});
            for (std::int64_t i = 0; i < m; ++i)
                for (std::int64_t j = 0; j < n; ++j)
                    ASSERT_EQ(c(i, j), plain[static_cast<std::size_t>(i * n + j)])
                        << row->name << " at " << i << ", " << j;
        }
    }
}

TEST(Choice, ThreadsNeverChangeTheOrderOfSummation) {
    for (const std::int64_t m : {1, 2, 5, 16, 48, 150, 700, 4096})
        for (const std::int64_t n : {1, 3, 16, 170, 1000, 4096})
            for (const std::int64_t k : {1, 16, 90, 300, 4096})
                for (const Type type : {Type::f32, Type::f64}) {
                    const Problem problem{.m = m, .n = n, .k = k, .in = type, .out = type};
                    const Plan alone = plan(problem, {.threads = 1});
                    for (int threads : {2, 3, 8, 64}) {
                        const Plan many = plan(problem, {.threads = threads});
                        EXPECT_TRUE(many.kernel == alone.kernel ||
                                    (alone.kernel->order != 0 && many.kernel->order == alone.kernel->order))
                            << m << "x" << n << "x" << k << ": " << alone.kernel_name() << ", with " << threads
                            << " threads " << many.kernel_name();
                    }
                }
}

}  // namespace
