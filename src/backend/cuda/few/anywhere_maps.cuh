// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The weights of few_rows_anywhere as TMA reads them, and what its parts and its few rows take of scratch.
#pragma once

#include "backend/contract.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/few/anywhere_tile.cuh"
#include "backend/cuda/few/lay_tokens.cuh"

namespace tw::cuda::anywhere {

/// rows: along k. From one contiguous line to the next.
inline std::int64_t step_of_lines(const Matrix& rows) { return rows.col_step == 1 ? rows.row_step : rows.col_step; }

/// A map for each of the lines that lie alike.
template <class C>
Status describe_weights(const Matrix& w, const Stage& stage, Maps& maps, std::uint32_t& shifts) {
    const std::int64_t width = C::along ? w.cols : w.rows, lines = C::along ? w.rows : w.cols;
    const std::int64_t step = step_of_lines(w);
    shifts = 0;
    for (int map = 0; map < C::maps; ++map) {
        const auto first = reinterpret_cast<std::uintptr_t>(w.data) + static_cast<std::uintptr_t>(map * step * C::size);
        const auto before = static_cast<std::int64_t>(first % 16);
        shifts |= static_cast<std::uint32_t>(before / C::size) << (4 * map);
        const BoxedMatrix boxes{.data = reinterpret_cast<const void*>(first - first % 16),
                                .type = w.type,
                                .inner = width + before / C::size,
                                .outer = (lines - map + C::maps - 1) / C::maps,
                                .row_bytes = C::maps * step * C::size,
                                .box_inner = stage.pitch / C::size,
                                .box_outer = C::along ? stage.height / C::maps : small_tokens,
                                .swizzled = false};
        if (const Status bad = describe(maps.of[map], boxes); !bad) return bad;
    }
    return {};
}

inline std::size_t sums_bytes(std::int64_t few, std::int64_t rows, int parts) {
    return static_cast<std::size_t>(few * ((rows + 3) / 4 * 4) * parts + 31) / 32 * 32 * sizeof(float);
}
inline std::size_t tokens_bytes(std::int64_t few, std::int64_t k, std::size_t size) {
    return static_cast<std::size_t>(few * tokens_pitch(k, size)) * size * (size == 4 ? 2 : 1);
}

}  // namespace tw::cuda::anywhere
