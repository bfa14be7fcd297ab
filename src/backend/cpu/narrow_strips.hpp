// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Strips of f16 and bf16 operands: each worker widens what it multiplies, some rows of A and one strip of B at a time,
// into memory of its own. If all threads made one copy together, each would fetch most of it from the others' caches.
#pragma once

#include "backend/cpu/micro/few_tiles.hpp"
#include "backend/cpu/micro/pack_narrow.hpp"
#include "backend/cpu/strips.hpp"

namespace tw::cpu {

/// A worker's memory: a strip of B, then rows of A as they lie. Steps of an odd number of lines fight for no set.
struct NarrowStrips {
    static constexpr std::int64_t most_rows = 128, line = 16;  // of A at a time, in whole tiles; in elements

    static std::int64_t step_of(std::int64_t length) { return (ceil_div(length, line) | 1) * line; }
    static std::int64_t elements(const MicroKernel<float>& kernel, std::int64_t k) {
        const std::int64_t depth = k_block<float>(k), rows = most_rows + std::max(kernel.low, kernel.mr);
        return round_up(panel_elements(kernel, k), line) + std::max(rows * step_of(depth), depth * step_of(rows));
    }

    static std::int64_t elements_of(std::int64_t rows, std::int64_t cols) {
        return std::max(rows * step_of(cols), cols * step_of(rows));
    }
    static std::size_t bytes_of_all(std::int64_t m, std::int64_t n, std::int64_t k) {
        return static_cast<std::size_t>(elements_of(m, k) + elements_of(k, n)) * sizeof(float);
    }

    /// The same matrix, widened, as it lies.
    static View<const float> widened(const Matrix& narrow, float* to) {
        const bool by_columns = narrow.row_step == 1 && narrow.col_step != 1;
        const std::int64_t step = step_of(by_columns ? narrow.rows : narrow.cols);
        const Matrix wide{to,
                          Type::f32,
                          narrow.rows,
                          narrow.cols,
                          by_columns ? std::int64_t{1} : step,
                          by_columns ? step : std::int64_t{1}};
        widen_matrix(wide, narrow);
        return typed<const float>(wide);
    }
};

/// One part of C as multiply_part() does it; `a` and `b` are the product's, and narrow.
inline void multiply_narrow_part(const MicroKernel<float>& kernel, const Product<float>& x, const Matrix& a,
                                 const Matrix& b, const Strips<float>& cut, float* memory, const auto& completed) {
    const std::int64_t depth = k_block<float>(a.cols), high = block_size(a.rows, NarrowStrips::most_rows, cut.rows);
    float* const panel = memory;
    float* const rows_of_a = memory + round_up(panel_elements(kernel, a.cols), NarrowStrips::line);
    for (std::int64_t from = 0; from < a.rows; from += high)
        for (std::int64_t p = 0; p < a.cols; p += depth) {
            const std::int64_t rows = std::min(high, a.rows - from), block = std::min(depth, a.cols - p);
            const Product<float> some{NarrowStrips::widened(a.block(from, p, rows, block), rows_of_a),
                                      {},
                                      x.c.block(from, 0, rows, x.n()),
                                      x.alpha,
                                      p == 0 ? x.beta : 1};
            multiply_strips(
                kernel, some, cut, nullptr, false,
                [&](std::int64_t j, std::int64_t cols) {
                    pack_any(kernel, b.block(p, j, block, cols).transposed(), static_cast<int>(cut.width), panel);
                    return std::pair<const float*, std::int64_t>(panel, cut.width);
                },
                [&](const View<float>& c, std::int64_t i, std::int64_t j) {
                    if (p + block == a.cols) completed(c, from + i, j);
                });
        }
}

/// One thread's few tiles, which are read as they lie, want all of both operands.
inline bool widens_all(std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
    return are_few<float>(m, n, k, threads);
}

}  // namespace tw::cpu
