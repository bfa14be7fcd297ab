// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What an EffortMatrix holds. All arrays are [expert][...]; units of an input are numbered from the most important.
//
//   rows        the layout's bytes, tile after tile: buckets.hpp, tiers.hpp, planes.hpp
//   left        f32 [units + 1][inputs]   squared error, summed over outputs, when so many units of the input are read
//   importance  f32 [inputs]              a unit is read where |v_i| * importance, lowered by the unit's fall, is large
//   gains       f32 [units][inputs]       layouts with gains: v_i is multiplied by gains[u] when u + 1 units are read
//   spreads     f32 [inputs]              layouts with gains: root mean square of the blocks' scales
//   dense       the weights as given, tile after tile (dense.hpp); may be absent
//
// Left, importance and spreads are for the weights times 2^exponent, which brings the largest to 2^14..2^15. So are the
// rows, except where they hold the weights as given (tiers, truncating buckets).
#pragma once

#include <memory>
#include <vector>

#include "formats/format.hpp"
#include "formats/memory.hpp"
#include "tilewright/effort.hpp"

namespace tw::effort {

/// A device's copy of a matrix, kept as long as the matrix.
struct Placement {
    const void* backend;
    int device;
    std::shared_ptr<const void> arrays;
};

}  // namespace tw::effort

namespace tw {

struct EffortBody {
    const effort::Format* format = &effort::planes_format;
    int bucket = 0;  ///< outputs of one; for planes 0, or without_last_plane
    bool truncating = false;
    Type type = Type::f32;  ///< of the weights as given: of tiers' values and of the dense copy
    std::int64_t outputs = 0, inputs = 0;
    int experts = 1;
    int exponent = 0;

    effort::Memory rows{}, left{}, gains{}, spreads{}, dense{};
    effort::Memory importance{};                          ///< computed from `left`, as the falls are; not in files
    std::uint32_t falls[32] = {};                         ///< of each unit, for all experts
    mutable std::vector<effort::Placement> placements{};  ///< only carry/place_effort.cpp adds to them

    EffortLayout layout() const noexcept { return format->layout; }
    int units() const noexcept { return format->units(bucket); }
    /// Rows hold the weights times 2^exponent_of_rows().
    int exponent_of_rows() const noexcept { return format->keeps_values || truncating ? 0 : exponent; }
    const float* importance_of(int expert) const noexcept { return importance.as<float>() + expert * inputs; }
    const float* left_of(int expert) const noexcept { return left.as<float>() + expert * (units() + 1) * inputs; }
    const float* gains_of(int expert) const noexcept { return gains.as<float>() + expert * units() * inputs; }
    const float* spreads_of(int expert) const noexcept { return spreads.as<float>() + expert * inputs; }
};

}  // namespace tw

namespace tw::effort {

/// How the rows of one expert are cut into tiles of outputs.
struct Tiling {
    std::int64_t outputs_of_tile;  ///< the last tile may have fewer
    std::int64_t tiles;
    std::int64_t bytes_of_tile;  ///< of a whole tile: tile t begins at byte t * bytes_of_tile
    std::int64_t bytes;          ///< of an expert's tiles in all
};

Tiling tiling_of(const EffortBody& body) noexcept;
Tiling dense_tiling_of(const EffortBody& body) noexcept;

/// Bytes of one unit of one input, over all tiles.
std::int64_t bytes_of_unit(const EffortBody& body, int unit) noexcept;

/// Bytes of an input's units over their greatest common divisor, so that devices can count in 32 bits.
struct UnitWeights {
    std::int64_t common = 0;
    std::uint32_t of_unit[most_units] = {};

    explicit UnitWeights(const EffortBody& body) noexcept;

    /// For a budget of bytes: rows at the cutoff or above it weigh at least reached(), rows that are read at most
    /// within().
    std::uint32_t reached(std::int64_t bytes) const noexcept {
        return static_cast<std::uint32_t>((bytes + common - 1) / common);
    }
    std::uint32_t within(std::int64_t bytes) const noexcept { return static_cast<std::uint32_t>(bytes / common); }
};

/// Bytes of every unit of every input of one expert.
std::int64_t bytes_of_all(const EffortBody& body) noexcept;

/// Sizes in bytes of the body's arrays, for all experts: what build allocates and load checks.
struct Sizes {
    std::int64_t rows, left, gains, spreads, dense, importance;
};
Sizes sizes_of(const EffortBody& body, bool with_dense) noexcept;

/// Larger matrices are refused, so that no size above can overflow.
inline constexpr std::int64_t most_outputs = 1 << 24, most_inputs = 1 << 24, most_values = std::int64_t{1} << 38;
inline constexpr int most_experts = 1 << 12;
inline constexpr int least_exponent = -113, most_exponent = 100;  // -113 brings the largest f32 to 2^14

/// Null when the shape can be held, else why not.
const char* refusal_of_shape(std::int64_t outputs, std::int64_t inputs, std::int64_t experts) noexcept;

}  // namespace tw::effort
