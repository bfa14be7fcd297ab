// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Cuts a product of host operands into tiles of C, each from a panel of A's rows and a panel of B's columns: how large
// tiles are, how many panels the device holds at a time, and the order in which tiles are computed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "backend/contract.hpp"
#include "tilewright/plan.hpp"

namespace tw {

/// An extent cut into pieces of nearly equal size, which begin at multiples of 128.
struct Pieces {
    static constexpr std::int64_t unit = 128;
    std::int64_t extent = 0, count = 1;

    std::int64_t begin(std::int64_t i) const noexcept;
    std::int64_t size(std::int64_t i) const noexcept { return begin(i + 1) - begin(i); }
    std::int64_t largest() const noexcept;
    /// Every size that occurs, some twice. A smaller piece may want more scratch than a larger one.
    std::array<std::int64_t, 3> sizes() const noexcept;
    std::int64_t most() const noexcept { return (extent + unit - 1) / unit; }
};

struct Cut {
    static constexpr int most_slots = 64, most_tiles = 16;

    Pieces m, n, k;                             ///< k is cut only where even the thinnest panels do not fit
    int a_slots = 1, b_slots = 1, c_slots = 1;  ///< panels and tiles on the device at a time
    bool a_stays = true;                        ///< A's panels are each uploaded once, else B's; both where both fit

    bool holds_all() const noexcept { return a_slots >= m.count && b_slots >= n.count && k.count == 1; }
    std::int64_t tiles() const noexcept { return m.count * n.count; }
};

/// The plan of one tile: the same kernel with the same tile sizes, so the same order of summation.
Plan plan_of_tile(const Plan& whole, std::int64_t m, std::int64_t n, std::int64_t k) noexcept;

/// Bytes of the device's memory that a cut needs.
std::size_t device_bytes(const Cut& cut, const Plan& plan, const Call& call) noexcept;

/// The cut that uploads least among those that fit into `memory`; false when none fits.
bool cut_for(const Plan& plan, const Call& call, std::size_t memory, Cut& cut) noexcept;

/// The order of the tiles. Where the device holds all panels, tile (d, d) and those above and left of it come as soon
/// as d panels of both operands are there. Else a group of one operand's panels stays while the other operand's pass
/// by, forwards and backwards in turn, so that the panel at the turn is used twice.
class TileOrder {
public:
    explicit TileOrder(const Cut& cut) noexcept : cut_(cut) {}

    /// The next tile; false after the last.
    bool next(std::int64_t& i, std::int64_t& j) noexcept;

private:
    bool next_with_all_panels(std::int64_t& i, std::int64_t& j) noexcept;
    bool next_in_group(std::int64_t& i, std::int64_t& j) noexcept;

    const Cut& cut_;
    std::int64_t step_ = 0, group_ = 0, along_ = 0;
    bool in_row_ = false;
};

}  // namespace tw
