// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile r8_dmma takes, and whether it cuts the tiles that would fill a last wave in part: by the time of whole
// waves. Paces are as measured on an H200; chips before Hopper have no flat tiles, and nothing is cut there.
#pragma once

#include <algorithm>
#include <span>

#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::dmma {

/// A tile, how many a multiprocessor has at once, and nanoseconds: before and behind k, and of a step of k where the
/// busiest multiprocessor has one, two ... tiles, of all of them.
struct PacedShape {
    int rows, columns, at_once;
    double start, steps[4];
};
constexpr PacedShape turned(PacedShape shape) {
    const int rows = shape.rows;
    shape.rows = shape.columns, shape.columns = rows;
    return shape;
}

inline constexpr PacedShape shapes_of_real[] = {{128, 128, 1, 10000, {1260}},       {64, 128, 2, 8000, {740, 1340}},
                                                {32, 128, 2, 4500, {585, 730}},     {16, 128, 3, 4000, {545, 600, 770}},
                                                {64, 64, 3, 6500, {450, 620, 985}}, {32, 32, 2, 2000, {207, 271}}};
inline constexpr PacedShape shapes_of_complex[] = {{128, 64, 1, 8000, {1275}},
                                                   {64, 64, 2, 5000, {740, 1340}},
                                                   {16, 128, 3, 3000, {500, 720, 1100}},
                                                   {64, 32, 2, 2200, {360, 640}},
                                                   {32, 32, 4, 1700, {250, 400, 570, 750}}};

/// The row for real and that for complex numbers.
struct Unit {
    std::span<const PacedShape> shapes;
    int step, size;            ///< of k; bytes of a number
    bool is_one_order_turned;  ///< a result has the same bits from C's other side
};
inline constexpr Unit real{shapes_of_real, 16, 8, true}, complex{shapes_of_complex, 8, 16, false};

/// Of a last wave's tiles.
inline constexpr int most_parts = 16, most_pieces = 528, largest = 128 * 128 * 8;
constexpr bool is_cut(const Tile& tile) { return tile.k < 0; }
constexpr int parts_of(const Tile& tile) { return is_cut(tile) ? -tile.k : 1; }
constexpr bool is_flat(const PacedShape& shape) { return shape.rows < shape.columns; }
inline bool is_for_parts() noexcept { return (features() & feature::sm90a) != 0; }

/// The tiles in front of those that are cut.
constexpr std::int64_t whole_tiles(const PacedShape& shape, const sm90::Sizes& s) {
    const std::int64_t tiles = s.tiles(shape.rows, shape.columns),
                       wave = std::int64_t{s.multiprocessors} * shape.at_once;
    return tiles / wave * wave;
}

constexpr double time_of_waves(const PacedShape& shape, std::int64_t pieces, double steps, int multiprocessors) {
    const std::int64_t wave = std::int64_t{multiprocessors} * shape.at_once, rest = pieces % wave;
    const double whole = static_cast<double>(pieces / wave) * (shape.start + steps * shape.steps[shape.at_once - 1]);
    return rest == 0 ? whole : whole + shape.start + steps * shape.steps[(rest - 1) / multiprocessors];
}

constexpr double time_of(const Unit& unit, const PacedShape& shape, int parts, const sm90::Sizes& s) {
    const std::int64_t tiles = s.tiles(shape.rows, shape.columns), whole = parts == 1 ? tiles : whole_tiles(shape, s),
                       pieces = (tiles - whole) * parts;
    const double steps = static_cast<double>((s.k + unit.step - 1) / unit.step);
    const double multiplying = time_of_waves(shape, whole, steps, s.multiprocessors) +
                               time_of_waves(shape, pieces, steps / parts, s.multiprocessors);
    // Of a multiprocessor's third stream memory has a tenth less. Near its pace neither hides the other whole.
    const bool is_busy = whole + pieces > 2 * std::int64_t{s.multiprocessors} && shape.at_once > 2;
    const double reading =
        5000 + static_cast<double>((s.m + s.n) * s.k * s.products * unit.size) / (is_busy ? 3700 : 4100);
    // Parts are written and read, mostly in L2, by a kernel of its own; behind whole tiles all came later than counted.
    const double adding = parts == 1
                              ? 0
                              : 4000 + static_cast<double>(pieces * shape.rows * shape.columns * unit.size) / 8000 +
                                    (whole > 0 ? 12000 : 0);
    return 1500 + std::max(multiplying, reading) + std::min(multiplying, reading) / 8 + adding;
}

/// A part has at least 128 of k.
constexpr bool may_cut(const PacedShape& shape, int parts, const sm90::Sizes& s) {
    const std::int64_t pieces = (s.tiles(shape.rows, shape.columns) - whole_tiles(shape, s)) * parts;
    return shape.rows + shape.columns > 96 && pieces > 0 && pieces <= most_pieces && s.k / parts >= 128;
}

struct Choice {
    Tile tile;
    double nanoseconds;
};
/// is_alone: no product of a batch, which would be seen wrong from C's other side. one_order: nothing is cut.
constexpr Choice quickest(const Unit& unit, const sm90::Sizes& s, bool one_order, bool is_alone,
                          bool for_parts = true) {
    Choice best{};
    const bool free = !one_order && is_alone && !parts::may_be_many(s.m, s.n, s.k);
    const auto weigh = [&](const PacedShape& shape, int parts) {
        const double all = time_of(unit, shape, parts, s);
        if (best.tile.m == 0 || all < best.nanoseconds)
            best = {{shape.rows, shape.columns, parts == 1 ? unit.step : -parts}, all};
    };
    const auto each_cut = [&](const PacedShape& shape) {
        weigh(shape, 1);
        for (int parts = 2; free && parts <= most_parts; ++parts)
            if (for_parts && may_cut(shape, parts, s)) weigh(shape, parts);
    };
    for (const PacedShape& shape : unit.shapes) {
        if (!for_parts && is_flat(shape)) continue;
        each_cut(shape);
        if (shape.rows != shape.columns && (unit.is_one_order_turned ? is_alone : free)) each_cut(turned(shape));
    }
    return best;
}

inline Choice choice_of(const Unit& unit, const Call& call) noexcept {
    return quickest(unit, sm90::sizes_of(call), call.reproducible, !call.batch, is_for_parts());
}
inline Choice choice_of(const Unit& unit, const Problem& p, int multiprocessors) noexcept {
    const bool turned = p.c == Form::col_major;
    return quickest(unit, {turned ? p.n : p.m, turned ? p.m : p.n, p.k, 1, multiprocessors}, false, true,
                    is_for_parts());
}
/// The tile that was asked for by name, where the device has it; else what is chosen.
inline Tile tile_of(const Unit& unit, const Call& call, const Tile& by_name) noexcept {
    bool is_there = by_name != Tile{} && (is_for_parts() || !is_cut(by_name));
    for (const PacedShape& shape : unit.shapes)
        if (is_flat(shape) && shape.rows + shape.columns == by_name.m + by_name.n) is_there &= is_for_parts();
    return is_there ? by_name : choice_of(unit, call).tile;
}
/// A free product of this shape is summed in parts, or from C's other side where that changes the bits.
inline bool has_own_order(const Unit& unit, const Problem& p) noexcept {
    const Tile tile = choice_of(unit, p, multiprocessors()).tile;
    for (const PacedShape& shape : unit.shapes)
        if (tile == Tile{shape.rows, shape.columns, unit.step}) return false;
    return is_cut(tile) || !unit.is_one_order_turned;
}
inline std::size_t scratch_bytes(const Unit& unit, const Problem& p, const Tile& asked) noexcept {
    const Tile tile = asked == Tile{} ? choice_of(unit, p, multiprocessors()).tile : asked;
    return is_cut(tile) ? std::size_t{most_pieces} * largest : 0;
}

}  // namespace tw::cuda::dmma
