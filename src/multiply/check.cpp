// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/check.hpp"

#include <algorithm>
#include <numeric>

#include "multiply/no_product.hpp"
#include "plan/operands.hpp"

namespace tw {
namespace {

constexpr Status bad(Argument argument, const char* text) noexcept { return {Code::bad_argument, argument, text}; }

std::int64_t magnitude(std::int64_t x) noexcept { return x < 0 ? -x : x; }

/// False when the bytes from the lowest to the highest element, or a copy of all elements, do not fit into an address.
/// Both are needed: with steps of 0 a matrix has more elements than memory.
bool extent_fits(const Matrix& m) noexcept {
    constexpr std::uint64_t surely = std::uint64_t{1} << 24;  // two products of two such, times 16 bytes, fit
    if ((static_cast<std::uint64_t>(m.rows) | static_cast<std::uint64_t>(m.cols) |
         static_cast<std::uint64_t>(m.row_step) | static_cast<std::uint64_t>(m.col_step)) < surely)
        return true;
    if (m.rows == 0 || m.cols == 0) return true;
    if (!copy_fits(m.rows, m.cols)) return false;
    if (m.row_step == INT64_MIN || m.col_step == INT64_MIN) return false;
    std::int64_t down = 0, across = 0, elements = 0, bytes = 0;
    return !__builtin_mul_overflow(m.rows - 1, magnitude(m.row_step), &down) &&
           !__builtin_mul_overflow(m.cols - 1, magnitude(m.col_step), &across) &&
           !__builtin_add_overflow(down, across, &elements) && !__builtin_add_overflow(elements, 1, &elements) &&
           !__builtin_mul_overflow(elements, static_cast<std::int64_t>(size_of(m.type)), &bytes);
}

/// True when two different (i, j) are one element: i * row_step + j * col_step repeats within the shape.
bool writes_itself_twice(const Matrix& m) noexcept {
    const std::int64_t down = magnitude(m.row_step), across = magnitude(m.col_step);
    if (m.rows <= 1) return m.cols > 1 && across == 0;
    if (m.cols <= 1) return down == 0;
    if (down == 0 || across == 0) return true;
    const std::int64_t common = std::gcd(down, across);
    return across / common < m.rows && down / common < m.cols;
}

Status check_one(const Matrix& m, Argument which) noexcept {
    if (m.type > last_type) return bad(which, "its type is none of f64, f32, f16, bf16, c64 and c128");
    if (m.rows < 0 || m.cols < 0) return bad(which, "a dimension is negative");
    if (!extent_fits(m)) return bad(which, "its steps times its shape do not fit into an address");
    return {};
}

bool has_elements(const Matrix& m) noexcept { return m.rows > 0 && m.cols > 0; }

/// A quick test that most calls pass: shapes and steps small and not negative, one type, contiguous rows or columns of
/// C that do not overlap, no epilogue. Such operands break no rule.
bool are_plainly_valid(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    constexpr std::uint64_t surely = std::uint64_t{1} << 24;  // as for extent_fits()
    std::uint64_t all = 0;
    for (const Matrix* m : {&a, &b, &c})
        all |= static_cast<std::uint64_t>(m->rows) | static_cast<std::uint64_t>(m->cols) |
               static_cast<std::uint64_t>(m->row_step) | static_cast<std::uint64_t>(m->col_step);
    const bool is_apart = (c.col_step == 1 && c.row_step >= c.cols) || (c.row_step == 1 && c.col_step >= c.rows);
    return all < surely && is_apart && a.type <= Type::bf16 && options.alpha_imag == 0 && options.beta_imag == 0 &&
           b.type == a.type && c.type == a.type && b.rows == a.cols && c.rows == a.rows && c.cols == b.cols && a.data &&
           b.data && c.data && options.epilogue.is_empty();
}

#ifndef NDEBUG
/// The memory of a matrix as contiguous pieces, `step` bytes apart.
struct Pieces {
    std::int64_t begin, step, count, length;

    explicit Pieces(const Matrix& m) noexcept {
        const auto size = static_cast<std::int64_t>(size_of(m.type));
        const Matrix by_rows = m.col_step == 1 || m.cols == 1 ? m : m.transposed();
        count = by_rows.rows, step = by_rows.row_step * size, length = by_rows.cols * size;
        begin = reinterpret_cast<std::int64_t>(m.data) + (step < 0 ? (count - 1) * step : 0);
        if (step == 0) count = 1;  // one row, repeated
        step = count == 1 ? length : magnitude(step);
    }
    std::int64_t end() const noexcept { return begin + (count - 1) * step + length; }
};

constexpr std::int64_t floor_of(std::int64_t x, std::int64_t y) noexcept { return x >= 0 ? x / y : -((y - 1 - x) / y); }

/// Whether two operands have a byte in common. Two blocks of one matrix are interleaved in memory and have none. For an
/// operand with gaps in both directions the answer is no: a product is not refused because it can't be told.
bool overlap(const Matrix& x, const Matrix& y) noexcept {
    if ((form_of(x) == Form::strided && x.rows > 1 && x.cols > 1) ||
        (form_of(y) == Form::strided && y.rows > 1 && y.cols > 1))
        return false;
    const Pieces some(x), others(y);
    if (some.begin >= others.end() || others.begin >= some.end()) return false;
    for (std::int64_t i = 0; i < some.count; ++i) {
        const std::int64_t from = some.begin + i * some.step - others.begin;
        const std::int64_t first = std::max<std::int64_t>(0, floor_of(from - others.length, others.step) + 1);
        if (first < others.count && first * others.step < from + some.length) return true;
    }
    return false;
}
#endif

Status check_rules(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (const Status s = check_shapes(a, b, c); !s) return s;
    if (const Status s = check_types(a.type, options); !s) return s;
    if (!has_elements(c)) return {};
    const Epilogue& epilogue = options.epilogue;
    if (epilogue.bias && epilogue.bias_size != c.cols)
        return bad(Argument::options, "the epilogue's bias must have one value for each column of C");
    if (epilogue.bias && epilogue.bias_type > Type::bf16)
        return bad(Argument::options, "the type of the epilogue's bias is none of f64, f32, f16 and bf16");
    if (epilogue.residual.data && (epilogue.residual.rows != c.rows || epilogue.residual.cols != c.cols))
        return bad(Argument::options, "the epilogue's residual must have C's shape");
    if (epilogue.residual.data && (epilogue.residual.type > last_type || !extent_fits(epilogue.residual)))
        return bad(Argument::options,
                   "the epilogue's residual has an unknown type, or steps that do not fit into an address");
    if (epilogue.residual.data && is_complex(epilogue.residual.type) != is_complex(c.type))
        return bad(Argument::options, "the epilogue's residual must be complex where C is, and real where C is real");
    if (!c.data) return bad(Argument::c, "it is null");
    if (writes_itself_twice(c)) return bad(Argument::c, "its steps put two elements in one place");
    if (needs_no_product(a, c, options)) return {};
    if (!a.data) return bad(Argument::a, "it is null");
    if (!b.data) return bad(Argument::b, "it is null");
    return check_overlap(a, b, c, options);
}

}  // namespace

#ifndef NDEBUG
Status check_overlap(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (overlap(c, a)) return bad(Argument::c, "it overlaps A");
    if (overlap(c, b)) return bad(Argument::c, "it overlaps B");
    if (options.epilogue.residual.data && overlap(c, options.epilogue.residual))
        return bad(Argument::c, "it overlaps the epilogue's residual");
    return {};
}
#endif

Status check_shapes(const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
    if (const Status s = check_one(a, Argument::a); !s) return s;
    if (const Status s = check_one(b, Argument::b); !s) return s;
    if (const Status s = check_one(c, Argument::c); !s) return s;
    if (b.rows != a.cols) return bad(Argument::b, "its rows must be as many as A's columns");
    if (c.rows != a.rows) return bad(Argument::c, "its rows must be as many as A's");
    if (c.cols != b.cols) return bad(Argument::c, "its columns must be as many as B's");
    if (is_complex(a.type) != is_complex(b.type))
        return bad(Argument::b, "A and B must both be real or both be complex");
    if (a.type != b.type) return bad(Argument::b, "its type must be A's");
    if (is_complex(a.type) != is_complex(c.type))
        return bad(Argument::c, "it must be complex where A and B are, and real where they are real");
    if (is_complex(c.type) && c.is_conj)
        return bad(Argument::c,
                   "it is written as it lies, so it can't be a conjugate: those of A, B, alpha and beta "
                   "give that of the product");
    if (!types_go_together(a.type, c.type))
        return bad(Argument::c, "its type must be A's, or f32 for narrower operands");
    return {};
}

Status check_operand(const Matrix& operand, Argument which) noexcept {
    if (const Status s = check_one(operand, which); !s) return s;
    return has_elements(operand) && !operand.data ? bad(which, "it is null") : Status{};
}

Status check_operands(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept {
    if (!are_plainly_valid(a, b, c, options)) return check_rules(a, b, c, options);
    return needs_no_product(a, c, options) ? Status{} : check_overlap(a, b, c, options);
}

}  // namespace tw
