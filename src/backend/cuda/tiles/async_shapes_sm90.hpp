// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tiles r9 has, by how the operands lie: what its kernels are compiled for, and what may be chosen.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tilewright/plan.hpp"

namespace tw::cuda::sm90 {

/// Rows of r9's tiles side by side: widths that one instruction of the unit has.
struct Widths {
    int count;
    int of[16];

    constexpr bool has(int width) const {
        for (int i = 0; i < count; ++i)
            if (of[i] == width) return true;
        return false;
    }
};

/// How r9's operands lie, and what C asks for.
struct R9Operands {
    bool a_across = false, b_across = false, is_f32 = false;
    bool c_by_group = true;  ///< C's rows start at multiples of 16 bytes
    bool adds = false;       ///< an old C or a residual is read
    bool may_turn = false;   ///< C is of 16 bits, one matrix, its rows whole groups of 16 bytes, and nothing is added
    bool a_between = false, b_between = false;  ///< rows begin inside of L2's sectors of 32 bytes
    bool plain = false;  ///< C is of 16 bits, its rows whole groups of 16 bytes, and no more than alpha times the sums

    /// Of the product seen from C's other side.
    constexpr R9Operands turned() const {
        R9Operands other = *this;
        other.a_across = b_across, other.b_across = a_across;
        other.a_between = b_between, other.b_between = a_between;
        return other;
    }
};

/// r9's three kinds of tiles. Tile::k says which: what R9Way says; the same with no rows walked together; or minus the
/// parts that k is cut into.
///   wide   128 rows, two blocks share B's tile
///   level  one wave of blocks; few rows, by widths such that it has all columns. Where B lies across k, 64 columns a
///          box, C may be seen from its other side, whose widths are free. Of 192 rows, too, for a plain C
///   thin   small, two blocks a multiprocessor, parts of k for some
constexpr Widths r9_wide(bool a_across, bool b_across) {
    if (b_across) return a_across ? Widths{2, {128, 256}} : Widths{3, {128, 192, 256}};
    if (a_across) return {5, {128, 144, 176, 208, 256}};
    return {8, {96, 128, 144, 160, 176, 192, 208, 256}};
}
/// Not 88, by which the unit took a quarter more a step than by 96. Where A alone lies across k not 64: the same tiles
/// stand on their side where B does.
constexpr Widths r9_level(int rows, bool a_across, bool b_across) {
    if (a_across && rows == 64) return {0, {}};
    if (a_across) return b_across ? Widths{3, {64, 128, 192}} : Widths{3, {112, 128, 192}};
    if (b_across) return rows == 64 ? Widths{2, {64, 128}} : Widths{4, {64, 128, 192, 256}};
    if (rows == 64) return {8, {32, 40, 48, 64, 80, 96, 112, 128}};
    return {11, {32, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256}};
}

/// Of 192 rows, where both operands lie one way: 14 shapes of the other ways gained nothing, nor did 20 along k by more
/// than 96 columns.
constexpr Widths r9_tall(bool a_across, bool b_across) {
    if (a_across != b_across) return {0, {}};
    return b_across ? Widths{2, {128, 192}} : Widths{1, {96}};
}

/// How a product goes by wide tiles.
struct R9Way {
    int walked = 8;       ///< rows of tiles that are walked together
    bool turned = false;  ///< C^T = B^T A^T: a tile's width goes down C's rows, where few of them fill no 256
    int parts = 1;        ///< into which k is cut for the tiles that would fill a last wave in part

    static constexpr R9Way of(const Tile& wide) {
        return {wide.k % 32, wide.k / 32 % 2 != 0, wide.k < 64 ? 1 : wide.k / 64};
    }
    constexpr int k() const { return walked + (turned ? 32 : 0) + (parts > 1 ? 64 * parts : 0); }
};
inline constexpr int r9_most_parts = 8;

/// Tiles whose results go to C through boxes in shared memory.
constexpr bool r9_goes_by_box(int rows, int width) { return rows == 128 && width >= 64; }

/// Each count of parts has an end of its own in a kernel. No shape of 56 000 took two, and seven 64 x 64 in four.
inline constexpr Tile r9_thin[] = {{64, 32, -1}, {64, 64, -1}, {128, 64, -1},
                                   {64, 32, -4}, {64, 64, -8}, {128, 64, -8}};
constexpr bool r9_has_thin(int rows, int columns, int parts) {
    for (const Tile& tile : r9_thin)
        if (tile == Tile{rows, columns, -parts}) return true;
    return false;
}

constexpr bool r9_is_thin(const Tile& tile) { return tile.k < 0; }
constexpr bool r9_is_wide(const Tile& tile) { return tile.k > 0 && R9Way::of(tile).walked > 0; }
constexpr bool r9_is_level(const Tile& tile) { return !r9_is_thin(tile) && !r9_is_wide(tile); }
constexpr bool r9_is_tall(const Tile& tile) { return tile.m == 192 && r9_is_level(tile); }
/// The k of a level tile.
constexpr int r9_level_k(int parts, bool turned = false) { return (parts > 1 ? 64 * parts : 0) + (turned ? 32 : 0); }

/// Into how many parts the tile cuts k, of some tiles or of all.
constexpr int r9_parts_of(const Tile& tile) { return r9_is_thin(tile) ? -tile.k : R9Way::of(tile).parts; }

constexpr bool r9_wide_is_possible(const R9Operands& o, const Tile& tile) {
    const R9Way way = R9Way::of(tile);
    // Sums that may have to be made again leave no registers for 256 columns, and are whole.
    if (o.is_f32 && (tile.n == 256 || way.parts > 1)) return false;
    if (tile.m != 128 || way.walked == 0 || way.parts > r9_most_parts) return false;
    // Turned tiles store to C's columns, where B lies along k.
    if (way.turned) return o.may_turn && !o.adds && !o.a_across && r9_wide(o.b_across, false).has(tile.n);
    return r9_wide(o.a_across, o.b_across).has(tile.n);
}

constexpr bool r9_possible(const R9Operands& o, const Tile& tile) {
    if (r9_is_wide(tile)) return r9_wide_is_possible(o, tile);
    // The unit takes tf32 along k alone, and its tests of many widths are spared.
    if (o.is_f32 && r9_is_level(tile) && (tile.n > 96 || tile.k > 0)) return false;
    if (r9_is_level(tile) && R9Way::of(tile).turned)
        return !o.is_f32 && tile.m == 128 && r9_parts_of(tile) <= r9_most_parts && o.may_turn && !o.adds &&
               !o.a_across && o.b_across && r9_level(128, true, false).has(tile.n) &&
               tile.k == r9_level_k(r9_parts_of(tile), true);
    if (r9_is_level(tile) && (r9_parts_of(tile) > r9_most_parts || tile.k != r9_level_k(r9_parts_of(tile))))
        return false;
    if (r9_is_tall(tile)) return o.plain && !o.is_f32 && r9_tall(o.a_across, o.b_across).has(tile.n);
    if (r9_is_level(tile))
        return (tile.m == 64 || tile.m == 128) && r9_level(tile.m, o.a_across, o.b_across).has(tile.n);
    const int parts = -tile.k;
    if (o.is_f32 && parts > 1) return false;
    return r9_has_thin(tile.m, tile.n, parts);
}

/// Clusters of two blocks that run at a time.
constexpr std::int64_t r9_clusters(int multiprocessors) { return multiprocessors / 2 > 0 ? multiprocessors / 2 : 1; }
/// Bytes of the sums of all parts of a last wave, at most: two waves of the largest tile's. Smaller ones may be more.
constexpr std::size_t r9_most_sums(int multiprocessors) {
    return static_cast<std::size_t>(2 * r9_clusters(multiprocessors)) * 256 * 256 * 4;
}
constexpr bool r9_sums_fit(const Tile& tile, std::int64_t pieces, int multiprocessors) {
    const int blocks = r9_is_wide(tile) ? 2 : 1;
    return static_cast<std::size_t>(pieces * blocks * tile.m * tile.n) * 4 <= r9_most_sums(multiprocessors);
}

/// The only wave's level tiles in two parts, each pair of them a cluster of two blocks (async/other_part.cuh). By 256
/// columns registers would spill.
constexpr bool r9_may_add_by_pairs(int width) { return width <= 192; }
constexpr bool r9_adds_by_pairs(const Tile& tile, std::int64_t tiles, bool adds, int multiprocessors) {
    return r9_is_level(tile) && tile.m == 128 && r9_may_add_by_pairs(tile.n) && !adds &&
           tiles <= r9_clusters(multiprocessors);
}

/// Stages of so many rows of 128 bytes in what a multiprocessor has of shared memory for each of `blocks`, beside
/// `staging`.
constexpr int r9_stages(int rows, int staging, int blocks) {
    constexpr int of_all = 233472, of_system = 1024, to_start_on = 1024, barriers = 16, most = 16;
    const int fit = (of_all / blocks - of_system - to_start_on - staging) / (rows * 128 + barriers);
    return fit < most ? fit : most;
}

}  // namespace tw::cuda::sm90
