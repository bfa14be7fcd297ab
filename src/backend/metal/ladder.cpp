// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/ladder.hpp"

#include <limits>

namespace tw::metal {
namespace {

constexpr Status backwards{Code::unsupported, Argument::none, "the Metal kernels take no steps below zero"};
constexpr std::int64_t longest = std::numeric_limits<std::int32_t>::max();

bool fits(const Problem& p) noexcept { return p.m <= longest && p.n <= longest && p.k <= longest; }

/// Bytes from the first element to the end of the last.
std::size_t bytes_of(const Matrix& x) noexcept {
    return static_cast<std::size_t>((x.rows - 1) * x.row_step + (x.cols - 1) * x.col_step + 1) * size_of(x.type);
}

/// `bit` if every row can be read as aligned vectors of four elements.
uint reads_vectors(const Matrix& x, uint bit) noexcept {
    const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % (4 * size_of(x.type)) == 0;
    return x.col_step == 1 && x.row_step % 4 == 0 && aligned ? bit : 0;
}

}  // namespace

bool takes_any(const Problem& problem) noexcept { return fits(problem); }

bool takes_few_rows(const Problem& problem) noexcept { return fits(problem) && problem.m <= 16; }

bool takes_unit_steps(const Problem& problem) noexcept {
    return fits(problem) && problem.a != Form::strided && problem.b != Form::strided;
}

Status make_launch(const LadderRow& row, const char* family, const Call& call, const Tile& tile,
                   Launch& launch) noexcept {
    for (const Matrix* x : {&call.a, &call.b, &call.c})
        if (x->row_step < 0 || x->col_step < 0) return backwards;
    const Shape* shape = &row.shapes[0];
    for (std::size_t i = 1; i < row.count(); ++i)
        if (row.shapes[i].tile == tile) shape = &row.shapes[i];
    const auto m = static_cast<uint>(call.m()), n = static_cast<uint>(call.n()), k = static_cast<uint>(call.k());
    const auto rows = static_cast<uint>(shape->tile.m), cols = static_cast<uint>(shape->tile.n);
    const uint down = (m + rows - 1) / rows, along = (n + cols - 1) / cols;
    launch = {.family = family,
              .function = shape->function,
              .parameters = {call.a.row_step, call.a.col_step, call.b.row_step, call.b.col_step, call.c.row_step,
                             call.c.col_step, m, n, k, reads_vectors(call.a, 1) | reads_vectors(call.b, 2),
                             static_cast<float>(call.alpha), static_cast<float>(call.beta),
                             static_cast<float>(call.alpha_imag), static_cast<float>(call.beta_imag),
                             (call.a.is_conj ? 1u : 0u) | (call.b.is_conj ? 2u : 0u)},
              .a = call.a.data,
              .b = call.b.data,
              .c = call.c.data,
              .a_bytes = bytes_of(call.a),
              .b_bytes = bytes_of(call.b),
              .c_bytes = bytes_of(call.c),
              .groups_x = shape->rows_along_x ? down : along,
              .groups_y = shape->rows_along_x ? along : down,
              .threads_x = shape->threads_x,
              .threads_y = shape->threads_y};
    return {};
}

}  // namespace tw::metal
