// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How C is cut into cells for threads that take one after another.
#pragma once

#include <algorithm>
#include <cstdint>

#include "backend/cpu/product/blocks.hpp"

namespace tw::cpu {

/// A side of C in panels: how many there are, their lines, and how many a cell may have.
struct SideOfCells {
    std::int64_t panels, width, most;
};

/// Cells of `high` panels of A by `wide` of B: of a size at which all threads end at about the same time, and fetching
/// a cell's panels costs little beside multiplying them.
struct Cells {
    std::int64_t high = 1, wide = 1, down, across;

    Cells(const SideOfCells& a, const SideOfCells& b, int threads) {
        const std::int64_t least_down = ceil_div(a.panels, a.most), least_across = ceil_div(b.panels, b.most);
        const std::int64_t most_down = std::min(a.panels, std::max<std::int64_t>(least_down, 4 * threads));
        double least = 1e300;
        for (std::int64_t rows = least_down; rows <= most_down; ++rows) {
            const std::int64_t rounds = ceil_div(rows * least_across, threads);
            for (std::int64_t more = 0; more < 3; ++more) {
                const std::int64_t cols = std::min(b.panels, std::max(least_across, (rounds + more) * threads / rows));
                const std::int64_t h = ceil_div(a.panels, rows), w = ceil_div(b.panels, cols);
                const double cost =
                    time(h * a.width, w * b.width, ceil_div(a.panels, h) * ceil_div(b.panels, w), threads);
                if (cost < least) least = cost, high = h, wide = w;
            }
        }
        down = ceil_div(a.panels, high), across = ceil_div(b.panels, wide);
    }
    std::int64_t count() const { return down * across; }

private:
    /// In products. Fetching a line of a panel from where another core left it takes as long as 32 of them. Cores are
    /// not equally quick (a virtual machine's differ by 1.8), so that others wait for the last cell: one cell more.
    static double time(std::int64_t rows, std::int64_t cols, std::int64_t cells, int threads) {
        constexpr double fetching = 32, waiting = 1;
        const auto m = static_cast<double>(rows), n = static_cast<double>(cols);
        return (static_cast<double>(ceil_div(cells, threads)) + waiting) * (m * n + fetching * (m + n));
    }
};

}  // namespace tw::cpu
