// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows that widen narrow operands as they read them: the bits of the same row on operands that were widened before, and
// rounded afterwards, however they lie and whether one is packed.
#include <gtest/gtest.h>

#include <vector>

#include "backend/cpu/backend.hpp"
#include "base/element.hpp"
#include "plan/operands.hpp"
#include "support/random_numbers.hpp"
#include "support/sanitized.hpp"
#include "tilewright/tilewright.hpp"

namespace {

using namespace tw;

struct Shape {
    std::int64_t m, n, k;
};
constexpr Shape shapes[] = {{1, 131, 700}, {131, 1, 530}, {7, 70, 530},  {45, 37, 83},
                            {150, 33, 70}, {4, 4537, 3},  {3, 45, 1100}, {29, 6, 77}};

/// A matrix with memory, lying by rows or by columns, one element more from line to line than it needs.
struct Held {
    std::vector<std::byte> memory;
    Matrix at;
    Held(Type type, std::int64_t rows, std::int64_t cols, bool by_columns) {
        const std::int64_t pitch = (by_columns ? rows : cols) + 1;
        memory.resize(static_cast<std::size_t>((by_columns ? cols : rows) * pitch) * size_of(type));
        at = by_columns ? Matrix{memory.data(), type, rows, cols, 1, pitch}
                        : Matrix{memory.data(), type, rows, cols, pitch, 1};
    }
    void fill(unsigned seed) {
        std::mt19937 engine(seed);
        std::uniform_real_distribution<double> uniform(-1, 1);
        for (std::int64_t i = 0; i < at.rows; ++i)
            for (std::int64_t j = 0; j < at.cols; ++j) store_element(at, i, j, uniform(engine));
    }
    Held in(Type type, bool by_columns) const {
        Held made(type, at.rows, at.cols, by_columns);
        for (std::int64_t i = 0; i < at.rows; ++i)
            for (std::int64_t j = 0; j < at.cols; ++j) store_element(made.at, i, j, load_element(at, i, j));
        return made;
    }
};

void expect_equal(const Matrix& got, const Matrix& wanted, const std::string& what) {
    for (std::int64_t i = 0; i < got.rows; ++i)
        for (std::int64_t j = 0; j < got.cols; ++j)
            ASSERT_EQ(load_element(got, i, j), load_element(wanted, i, j)) << what << " at " << i << ", " << j;
}

void expect_widening(const Kernel& row, Type type, Type out, const Shape& s, int lie) {
    const std::string what = std::string(row.name) + " " + name_of(type) + " to " + name_of(out) + " " +
                             std::to_string(s.m) + "x" + std::to_string(s.n) + "x" + std::to_string(s.k) + " lying " +
                             std::to_string(lie);
    Held a(type, s.m, s.k, lie & 1), b(type, s.k, s.n, lie & 2), c(out, s.m, s.n, lie & 4);
    a.fill(1), b.fill(2), c.fill(3);
    const Held wide_a = a.in(Type::f32, lie & 1), wide_b = b.in(Type::f32, lie & 2), wide_c = c.in(Type::f32, lie & 4);
    const Held packed_c = c.in(out, lie & 4);
    const Options options{.alpha = 0.5, .beta = 2, .epilogue = relu(), .threads = 3, .kernel = row.name};
    multiply(wide_a.at, wide_b.at, wide_c.at, options);
    const Held wanted = wide_c.in(out, false);
    multiply(a.at, b.at, c.at, options);
    expect_equal(c.at, wanted.at, what);
    if (!row.packing || type != out) return;
    const Packed packed = lie & 1 ? pack_a(a.at, options) : pack(b.at, options);
    EXPECT_LT(packed.bytes(), static_cast<std::size_t>((s.k + 8) * (lie & 1 ? s.m + 14 : s.n + 32)) * 2 + 8192) << what;
    lie & 1 ? multiply(packed, b.at, packed_c.at, options) : multiply(a.at, packed, packed_c.at, options);
    expect_equal(packed_c.at, wanted.at, what + ", packed");
}

TEST(Widening, GivesTheBitsOfOperandsWidenedBefore) {
    int rows = 0;
    for (const Kernel* row : cpu::backend().ladder) {
        if (!row->widens || (row->needs & ~cpu::backend().features())) continue;
        ++rows;
        for (const Type type : {Type::f16, Type::bf16})
            for (const Type out : {Type::f32, type})
                for (const Shape& shape : shapes)
                    for (int lie = 0; lie < 8; lie += test::is_sanitized ? 3 : 1)
                        expect_widening(*row, type, out, shape, lie);
    }
    EXPECT_GE(rows, 2);
}

}  // namespace
