// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A product of host operands as tiles of C, each from a panel of A's rows and a panel of B's columns. How large they
// are, how many of each the device holds at a time, and in which order the tiles are computed.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/contract.hpp"

namespace tw {

/// An extent in pieces of nearly one size, which begin at multiples of 128.
struct Pieces {
    static constexpr std::int64_t unit = 128;
    std::int64_t extent = 0, count = 1;

    std::int64_t begin(std::int64_t i) const noexcept;
    std::int64_t size(std::int64_t i) const noexcept { return begin(i + 1) - begin(i); }
    std::int64_t largest() const noexcept;
    std::int64_t most() const noexcept { return (extent + unit - 1) / unit; }
};

struct Cut {
    static constexpr int most_slots = 64, most_tiles = 16;

    Pieces m, n, k;                             ///< k only where not even the thinnest panels fit
    int a_slots = 1, b_slots = 1, c_slots = 1;  ///< on the device at a time
    bool a_stays = true;                        ///< the operand whose panels are each sent once; both where both fit

    bool holds_all() const noexcept { return a_slots >= m.count && b_slots >= n.count && k.count == 1; }
    std::int64_t tiles() const noexcept { return m.count * n.count; }
};

/// The plan of one tile: the same kernel with the same tile sizes, and so the same order of summation.
Plan plan_of_tile(const Plan& whole, std::int64_t m, std::int64_t n, std::int64_t k) noexcept;

/// What a cut takes of the device's memory.
std::size_t device_bytes(const Cut& cut, const Plan& plan, const Call& call) noexcept;

/// The cut that sends least among those of so much memory; false when none is small enough.
bool cut_for(const Plan& plan, const Call& call, std::size_t memory, Cut& cut) noexcept;

/// The tiles one after another. Where the device holds all panels, tile (d, d) and those above and left of it come as
/// soon as d panels of both have come. Else a group of panels stays while the other operand's pass by, there and back
/// in turns.
class TileOrder {
public:
    explicit TileOrder(const Cut& cut) noexcept : cut_(cut) {}

    /// The next tile; false when all were told.
    bool next(std::int64_t& i, std::int64_t& j) noexcept;

private:
    bool next_of_square(std::int64_t& i, std::int64_t& j) noexcept;
    bool next_of_group(std::int64_t& i, std::int64_t& j) noexcept;

    const Cut& cut_;
    std::int64_t step_ = 0, group_ = 0, along_ = 0;
    bool in_row_ = false;
};

}  // namespace tw
