// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// C cut into one part for each thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cpu/product/blocks.hpp"

namespace tw::cpu {

/// A part of C that belongs to one worker.
struct Part {
    std::int64_t i, j, rows, cols;
};

/// How C is shared out: one part for each thread, cut so that the least is packed. A worker packs its columns of B, and
/// its rows of A once for each block of columns.
struct Grid {
    std::int64_t rows, cols, across, parts;

    /// `row_unit`: packed panels of A are not cut.
    Grid(std::int64_t m, std::int64_t n, std::int64_t row_unit, std::int64_t nc, const auto& micro, int threads)
        : rows(round_up(m, row_unit)), cols(round_up(n, micro.nr)) {
        constexpr std::int64_t turning =
            3;  // packing an element of A transposes it: three times the cost of copying one of B
        std::int64_t least = INT64_MAX;
        for (std::int64_t down = 1; down <= threads && threads > 1; ++down) {
            const std::int64_t high = round_up(ceil_div(m, down), row_unit),
                               wide = round_up(ceil_div(n, threads / down), micro.nr);
            const std::int64_t packed = turning * high * ceil_div(wide, nc) + wide;
            const std::int64_t cost = high * wide + packed * micro.mr / 2;
            if (cost < least) least = cost, rows = high, cols = wide;
        }
        across = ceil_div(n, cols);
        parts = ceil_div(m, rows) * across;
    }
    Part part(std::int64_t item, std::int64_t m, std::int64_t n) const {
        const std::int64_t i = item / across * rows, j = item % across * cols;
        return {i, j, std::min(rows, m - i), std::min(cols, n - j)};
    }
};

}  // namespace tw::cpu
