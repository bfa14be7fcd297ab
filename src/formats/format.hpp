// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A layout of the effort dial as a row: everything that the rest of the library asks about it. A new layout is a file
// with its row, and a line in formats.cpp.
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
inline constexpr std::int64_t most_outputs_of_tile = 1024;

/// What encoding one input found, summed over its tiles; what the sums are is the layout's affair.
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

/// For layouts whose units are groups of weights: the squares of each unit's weights, and of what reading them misses.
struct UnitSums {
    double squares[most_units], missed[most_units];
};

/// One input's weights in one tile.
struct EncodedInput {
    const float* w;             ///< as many as a whole tile has outputs, zero past `real`
    std::int64_t real;          ///< outputs that there are
    std::int64_t outputs_left;  ///< in the matrix, from the tile's first output on
    std::int64_t input;
    std::byte* rows;  ///< the tile's first byte
};

/// What is known of an input once it is encoded: what is left of it after 0, 1, 2 .. units, and of layouts with gains
/// the factor for each number of units and the root mean square of its blocks' scales.
struct InputSummary {
    double left[most_units + 1];
    float gains[most_units];
    float spread;
};

/// Something that the rows of a file can't hold.
struct Flaw {
    std::int64_t at = -1;  ///< the byte of the rows; -1: none was found
    const char* expected = "";
};

/// What was chosen of one vector, for a layout that foresees the roundings of its products.
struct ChosenInputs {
    const float* v;
    int expert;
    std::span<const EffortEntry> entries;
    bool is_fine;
};

struct Format {
    EffortLayout layout;           ///< its number in files and in the public face
    std::span<const int> buckets;  ///< outputs of a bucket that it can have; {0}: it has none
    bool may_truncate;             ///< buckets alone
    bool keeps_dense;              ///< DenseCopy::automatic keeps a dense copy beside it
    bool keeps_values;             ///< rows hold the weights as they were given, not times a power of 2
    bool has_gains;                ///< v is multiplied by a gain and scaled to about 1; so are sums by a factor at last

    int (*units)(int bucket);  ///< of an input, at most most_units
    std::int64_t (*outputs_of_tile)(int bucket);
    int (*width)(const EffortBody&, std::int64_t outputs_left);  ///< of a tile: buckets, or whatever it counts
    std::int64_t (*tile_bytes)(const EffortBody&, int width);
    std::int64_t (*unit_bytes)(const EffortBody&, int unit);  ///< that reading it costs, over all tiles

    void (*encode)(const EffortBody&, const EncodedInput&, Findings&);
    InputSummary (*summary)(const EffortBody&, const Findings&);
    Flaw (*flaw)(const EffortBody&);  ///< null: rows may be any bytes

    /// Square of the error that rounding v adds, of the rows' weights; null: products don't round v.
    double (*rounding)(const EffortBody&, const ChosenInputs&);

    // In the memory of a GPU (on_device.hpp). Null: its kernels, if there are any, read the rows as they are.
    std::int64_t (*device_outputs)(const EffortBody&);     ///< of a tile there
    std::int64_t (*device_tile_bytes)(const EffortBody&);  ///< a multiple of 64
    std::int64_t (*device_inputs)(std::int64_t inputs);    ///< with those that fill up its rows; null: no more
    /// Puts what tile `tile` of an expert's rows has into a tile of the device that begins with output `first`.
    void (*arrange)(const EffortBody&, const std::byte* tile_of_rows, std::int64_t tile, std::int64_t first,
                    std::byte* to);
};

/// All layouts, by number.
std::span<const Format* const> formats() noexcept;

/// Null when there is no such layout.
const Format* format_of(EffortLayout layout) noexcept;

extern const Format buckets_format, tiers_format, planes_format;

/// The summary for UnitSums.
InputSummary summary_of_units(const EffortBody& body, const Findings& found) noexcept;

}  // namespace tw::effort
