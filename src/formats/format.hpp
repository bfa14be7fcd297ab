// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A layout of the effort dial as a row of functions. A new layout is a file with its row, and a line in formats.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "formats/entry.hpp"
#include "tilewright/effort.hpp"

namespace tw {
struct EffortBody;
}

namespace tw::effort {

inline constexpr int most_units = 32;
inline constexpr int without_last_plane = 2;  ///< in the place of a bucket: planes A and B alone are kept
inline constexpr std::int64_t most_outputs_of_tile = 1024;

/// Sums over the tiles of one input while it is encoded; each layout defines its own.
class Findings {
public:
    template <class Sums>
    Sums& as() noexcept {
        static_assert(sizeof(Sums) <= sizeof bytes_ && std::is_trivially_copyable_v<Sums>);
        return *reinterpret_cast<Sums*>(bytes_);
    }
    template <class Sums>
    const Sums& as() const noexcept {
        return const_cast<Findings*>(this)->as<Sums>();
    }

private:
    alignas(double) std::byte bytes_[2 * most_units * sizeof(double)] = {};
};

/// For layouts whose units are groups of weights: for each unit the sum of squares of its weights and of their errors.
struct UnitSums {
    double squares[most_units], missed[most_units];
};

/// One input's weights in one tile.
struct EncodedInput {
    const float* w;             ///< one for each output of a whole tile, zero from `real` on
    std::int64_t real;          ///< outputs that exist
    std::int64_t outputs_left;  ///< of the matrix, from the tile's first output on
    std::int64_t input;
    std::byte* rows;  ///< the tile's first byte
};

/// An encoded input: the squared error left after 0, 1, 2 .. units; for layouts with gains also the gain for each
/// number of units, and the root mean square of its blocks' scales.
struct InputSummary {
    double left[most_units + 1];
    float gains[most_units];
    float spread;
};

/// An invalid value in the rows of a file.
struct Flaw {
    std::int64_t at = -1;  ///< its byte in the rows; -1: none found
    const char* expected = "";
};

/// What was chosen for one vector, for a layout that predicts the rounding errors of its products.
struct ChosenInputs {
    const float* v;
    int expert;
    std::span<const EffortEntry> entries;
    bool is_fine, is_whole;
};

struct Format {
    EffortLayout layout;           ///< its number in files and in the public face
    std::span<const int> buckets;  ///< outputs that a bucket may have; the first is 0: the layout has no buckets
    bool may_truncate;             ///< only buckets may
    bool keeps_dense;              ///< DenseCopy::automatic keeps a dense copy beside it
    bool keeps_values;             ///< rows hold the weights as given, not times a power of 2
    bool has_gains;                ///< v is multiplied by a gain and scaled to about 1, the sums by a factor at the end

    int (*units)(int bucket);  ///< of an input, at most most_units
    std::int64_t (*outputs_of_tile)(int bucket);
    int (*width)(const EffortBody&, std::int64_t outputs_left);  ///< of a tile, in the layout's own unit (buckets ..)
    std::int64_t (*tile_bytes)(const EffortBody&, int width);
    std::int64_t (*unit_bytes)(const EffortBody&, int unit);  ///< of one input, over all tiles

    void (*encode)(const EffortBody&, const EncodedInput&, Findings&);
    InputSummary (*summary)(const EffortBody&, const Findings&);
    Flaw (*flaw)(const EffortBody&);  ///< null: rows may be any bytes

    /// Square of the error from rounding v, in the scale of the rows; null: products do not round v.
    double (*rounding)(const EffortBody&, const ChosenInputs&);

    // In a GPU's memory (on_device.hpp). Null: a GPU's kernels, if there are any, read the rows as they are.
    std::int64_t (*device_outputs)(const EffortBody&);     ///< of a tile
    std::int64_t (*device_tile_bytes)(const EffortBody&);  ///< a multiple of 64
    std::int64_t (*device_inputs)(std::int64_t inputs);    ///< with padding; null: no padding
    /// Copies from tile `tile` of an expert's rows to the device's tile that begins with output `first`.
    void (*arrange)(const EffortBody&, const std::byte* tile_of_rows, std::int64_t tile, std::int64_t first,
                    std::byte* to);
};

/// All layouts, by number.
std::span<const Format* const> formats() noexcept;

/// Null when there is no such layout.
const Format* format_of(EffortLayout layout) noexcept;

extern const Format buckets_format, tiers_format, planes_format;

/// The summary of a layout that uses UnitSums.
InputSummary summary_of_units(const EffortBody& body, const Findings& found) noexcept;

}  // namespace tw::effort
