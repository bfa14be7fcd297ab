// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels of f16 and bf16 operands: of f32, widened as they are packed, or of narrow elements for an operand that is
// laid out ahead of time, which so takes half the memory.
#pragma once

#include <algorithm>
#include <cstring>

#include "backend/cpu/micro/pack.hpp"
#include "base/narrow_runs.hpp"

namespace tw::cpu {

/// Where rows are contiguous along k, a piece of them is widened to memory that stays in L1, and packed from there.
inline void pack_widened(const MicroKernel<float>& kernel, const Matrix& panel, int width, float* to) noexcept {
    constexpr std::int64_t steps = 64, most_rows = 64;
    alignas(64) float piece[most_rows * steps];
    for (std::int64_t p = 0; p < panel.cols; p += steps)
        for (std::int64_t w = 0; w < panel.rows; w += most_rows) {
            const Matrix part = panel.block(w, p, std::min(most_rows, panel.rows - w), std::min(steps, panel.cols - p));
            for (std::int64_t r = 0; r < part.rows; ++r)
                widen_run(part.type, part.at(r, 0), part.cols, piece + r * steps);
            pack_panels(kernel, View<const float>(piece, part.rows, part.cols, steps), width, to + p * width + w);
        }
}

constexpr std::int64_t rows_worth_squares = 8;  // of which squares have so many

/// An operand of the kernel's own type, or a narrow one. More rows than `width` fill panels that lie one behind the
/// other.
template <class T>
void pack_any(const MicroKernel<T>& kernel, const Matrix& from, int width, T* to) noexcept {
    if (!is_narrow(from.type)) return pack_panels(kernel, typed<const T>(from), width, to);
    if constexpr (sizeof(T) == sizeof(float)) {
        for (std::int64_t w = 0; w < from.rows; w += width, to += width * from.cols) {
            const Matrix panel = from.block(w, 0, std::min<std::int64_t>(width, from.rows - w), from.cols);
            if (panel.col_step == 1 && panel.row_step != 1) {
                if (kernel.pack_narrow && panel.rows >= rows_worth_squares)
                    kernel.pack_narrow(panel.type, panel.data, panel.row_step, static_cast<int>(panel.rows), panel.cols,
                                       to, width);
                else pack_widened(kernel, panel, width, to);
                continue;
            }
            const Matrix steps = panel.transposed();
            widen_matrix({to, Type::f32, steps.rows, steps.cols, width}, steps);
        }
    }
}

/// One panel, as it is. Where it has fewer rows than its width, the places of the missing ones are zeros: they will be
/// widened with the others.
inline void pack_narrow(const Matrix& from, int width, std::byte* panel) noexcept {
    using Bits = std::uint16_t;
    auto* const to = reinterpret_cast<Bits*>(panel);
    const auto* const data = static_cast<const Bits*>(from.data);
    if (from.rows < width)
        for (std::int64_t p = 0; p < from.cols; ++p)
            std::fill(to + p * width + from.rows, to + (p + 1) * width, Bits{});
    if (from.row_step == 1) {
        for (std::int64_t p = 0; p < from.cols; ++p)
            std::memcpy(to + p * width, data + p * from.col_step, static_cast<std::size_t>(from.rows) * sizeof(Bits));
        return;
    }
    for (std::int64_t w = 0; w < from.rows; ++w)
        for (std::int64_t p = 0; p < from.cols; ++p) to[p * width + w] = data[w * from.row_step + p * from.col_step];
}

}  // namespace tw::cpu
