// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which tile r8_dmma takes, and whether it cuts the tiles that would fill a last wave in part: by the time of whole
// waves. Paces are as measured on an H200; chips before Hopper have no flat tiles, and nothing is cut there.
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "backend/cuda/heuristics_parts.hpp"
#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda::dmma {

/// A tile, how many a multiprocessor has at once, and nanoseconds: before and behind k, C's bytes apart, and of a step
/// of k where the busiest multiprocessor has one, two ... tiles, of all of them.
struct PacedShape {
    int rows, columns, at_once;
    double start, steps[6];
    int groups = 1;  ///< of warps of a block, each of which multiplies a share of k
};
constexpr PacedShape turned(PacedShape shape) {
    const int rows = shape.rows;
    shape.rows = shape.columns, shape.columns = rows;
    return shape;
}

inline constexpr PacedShape shapes_of_real[] = {
    {128, 128, 1, 3700, {1240}},       {96, 128, 1, 2150, {980}},          {64, 128, 2, 1000, {686, 1256}},
    {32, 128, 2, 465, {452, 760}},     {16, 128, 3, 230, {284, 608, 780}}, {64, 64, 3, 430, {395, 614, 1087}},
    {64, 64, 1, 1320, {285}, 2},       {48, 96, 1, 780, {356}, 2},         {96, 96, 1, 3015, {676}, 2},
    {32, 64, 3, 850, {216, 292, 493}}, {32, 32, 2, 369, {145, 283}},       {16, 32, 4, 296, {125, 205, 285, 385}}};
/// Whose operands are copied one double at a time: other flat tiles would be as much machine code again.
inline constexpr PacedShape shapes_of_odd[] = {{128, 128, 1, 2460, {1230}},
                                               {64, 64, 3, 706, {486, 730, 1071}},
                                               {64, 64, 1, 1028, {351}, 2},
                                               {32, 64, 3, 978, {367, 530, 768}},
                                               {32, 32, 2, 591, {176, 342}}};
inline constexpr PacedShape shapes_of_complex[] = {{128, 64, 1, 2000, {1330}},
                                                   {16, 128, 3, 230, {450, 690, 1130}},
                                                   {64, 32, 3, 290, {430, 586, 930}},
                                                   {32, 32, 4, 198, {200, 342, 520, 680}}};

/// r7_hierarchical_complex's, which is no unit's but has the same waves: c64 by FMA, 8 of k a step.
inline constexpr PacedShape shapes_of_single_complex[] = {{128, 128, 1, 6200, {2570}},
                                                          {64, 64, 3, 2900, {800, 1380, 2140}},
                                                          {32, 128, 3, 2900, {827, 1490, 2240}},
                                                          {32, 32, 6, 500, {283, 460, 690, 920, 1150, 1365}}};

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// The rows for real and complex numbers.
struct Unit {
    std::span<const PacedShape> shapes;
    int step, size;            ///< of k; bytes of a number
    bool is_one_order_turned;  ///< a result has the same bits from C's other side
    int most_parts;            ///< of a last wave's tiles; of more than 16 every fourth count
    double adding;             ///< nanoseconds of the kernel that adds parts, their bytes apart
    /// What whole tiles of several waves lose where memory is the limit, perhaps since all their blocks walk along k in
    /// step, which parts do not (32 x 64128 x 8192 of f64: NT 1384 us whole and 1098 in halves, NN 1242 and 1014).
    double in_step;
    int least_of_part;        ///< k
    double of_l2 = infinite;  ///< bytes a nanosecond that L2 gives tiles
};
inline constexpr Unit real{shapes_of_real, 16, 8, true, 64, 1800, .05, 128, 9200},
    complex{shapes_of_complex, 8, 16, false, 64, 3500, .1, 64},
    single_complex{shapes_of_single_complex, 8, 8, false, 64, 2600, 0, 128};

/// Of a last wave's tiles.
inline constexpr int most_pieces = 528, most_in_cluster = 3, largest = 128 * 128 * 8;
/// A tile's k, where sums have an order of their own: so many parts, less than zero, and 100 less where groups of warps
/// share each part's k.
inline constexpr int of_groups = 100;
constexpr bool is_cut(const Tile& tile) { return tile.k < 0; }
constexpr bool has_groups(const Tile& tile) { return tile.k < -of_groups; }
constexpr int parts_of(const Tile& tile) { return is_cut(tile) ? -tile.k % of_groups : 1; }
constexpr int k_of_tile(const PacedShape& shape, int parts, int step) {
    return shape.groups > 1 ? -of_groups - parts : parts > 1 ? -parts : step;
}
/// Whether the parts of a tile are a cluster, whose blocks must run together. Those of 5 parts and more found no room
/// for all of them beside one another (640 cubed took 31 us instead of 20). A cluster's blocks may stand on one
/// multiprocessor, and do: so there must be as many pieces as that takes (64 x 5120 x 5120 took 130 us of 80).
/// Clusters of three, where a multiprocessor has one place or two, leave places of every group empty: of 264 places 72
/// clusters ran at once, and 80 took as long as two waves (64 x 10240 x 8192 410 us of 250).
constexpr bool is_cluster(const PacedShape& shape, int parts, std::int64_t tiles, std::int64_t multiprocessors) {
    const std::int64_t pieces = tiles * parts, wave = multiprocessors * shape.at_once,
                       room = parts == 2                   ? wave
                              : shape.at_once % parts == 0 ? wave * 15 / 16
                                                           : wave * 5 / 6;
    return parts > 1 && parts <= most_in_cluster && pieces <= room &&
           pieces > (std::min(parts, shape.at_once) - 1) * multiprocessors;
}
/// So small a flat tile asks L2 for the most bytes a product: of many of them, and behind whole tiles, it has no more
/// (by 32 x 64 1550 cubed took 256 us of 230, 49 x 14336 x 3584 177 of 151).
constexpr bool is_beyond_l2(const PacedShape& shape, const sm90::Sizes& s, bool is_cut) {
    const std::int64_t tiles = s.tiles(shape.rows, shape.columns), multiprocessors = s.multiprocessors;
    return shape.rows * shape.columns == 32 * 64 && shape.at_once > 1 &&
           tiles > (is_cut ? shape.at_once : 6) * multiprocessors;
}
/// The least tile is for what it covers once: 320 cubed, 200 of them, took 5.9 us of 5.3, 256 cubed 4.3 of 4.6. It was
/// timed to 1024 of k.
constexpr bool is_too_small(const PacedShape& shape, const sm90::Sizes& s) {
    return shape.rows * shape.columns == 16 * 32 &&
           (s.tiles(shape.rows, shape.columns) > s.multiprocessors || s.k > 1024);
}
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

/// What a shape does not tell.
struct Sizes : sm90::Sizes {
    bool is_odd = false;       ///< operands are copied one double at a time: for them there are fewer tiles
    bool stores_ones = false;  ///< rows of C begin at odd places
};

/// Parts of a cluster's blocks are read from their shared memory. Others are written and read, mostly in L2, by a
/// kernel of its own; behind whole tiles they come later than is counted.
constexpr double adding(const Unit& unit, const PacedShape& shape, int parts, std::int64_t whole, std::int64_t pieces,
                        const Sizes& s) {
    if (is_cluster(shape, parts, s.tiles(shape.rows, shape.columns), s.multiprocessors))
        return shape.groups > 1 ? 4000 : 2000;
    return unit.adding + static_cast<double>(pieces * shape.rows * shape.columns * unit.size) / 4000 +
           (whole > 0 ? 5000 : 0);
}

/// How operands lie that a row found so.
struct Oddness {
    bool is_odd, stores_ones;
};
/// Whether a whole tile of doubles is stored from C's other side: flat ones that are told so, and small squares.
constexpr bool stores_down(int rows, int columns, Oddness odd) {
    return rows > columns || (rows == columns && rows <= 64 && !odd.is_odd && !odd.stores_ones);
}

/// Bytes of C a nanosecond. Of doubles each thread has two neighbours of a row. Seen from C's other side they lie down
/// a column, and 64 bytes of a row are of 8 threads instead of 4: 2048 x 2048 x 128 takes 27.8 us by 128 x 64 and 31.7
/// by 64 x 128. Squares of 64 of an odd C go by shared memory.
constexpr double pace_of_writing(const Unit& unit, const PacedShape& shape, int parts, const Sizes& s) {
    const bool is_64 = shape.rows == 64 && shape.columns == 64;
    if (&unit != &real) return !s.stores_ones ? 4000 : is_64 ? 3000 : 2500;
    if (s.stores_ones) return is_64 ? 3800 : 2000;
    if (shape.rows * shape.columns == 16 * 32) return 4500;
    const bool is_whole = parts == 1 && shape.groups == 1,
               is_down = shape.rows > shape.columns ||
                         (is_whole && stores_down(shape.rows, shape.columns, {s.is_odd, false}));
    return is_down ? (is_64 ? 4500 : 6100) : is_64 ? 3400 : 3660;
}

constexpr double time_of(const Unit& unit, const PacedShape& shape, int parts, const Sizes& s) {
    const std::int64_t tiles = s.tiles(shape.rows, shape.columns), whole = parts == 1 ? tiles : whole_tiles(shape, s),
                       pieces = (tiles - whole) * parts;
    const double steps = static_cast<double>((s.k + unit.step - 1) / unit.step);
    const double by_l2 = static_cast<double>(tiles * (shape.rows + shape.columns) * s.k * unit.size) / unit.of_l2,
                 by_unit = time_of_waves(shape, whole, steps, s.multiprocessors) +
                           time_of_waves(shape, pieces, steps / parts, s.multiprocessors),
                 multiplying = std::max(by_l2, by_unit);
    // Of a multiprocessor's third stream memory has a tenth less. Near its pace neither hides the other whole.
    const bool is_busy = whole + pieces > 2 * std::int64_t{s.multiprocessors} && shape.at_once > 2;
    const double pace = is_busy ? 3700 : 4100;
    double reading = 3000 + static_cast<double>((s.m + s.n) * s.k * s.products * unit.size) / pace;
    if (parts == 1 && tiles > shape.at_once * std::int64_t{s.multiprocessors} && reading > multiplying)
        reading *= 1 + unit.in_step;
    const double writing =
        static_cast<double>(s.m * s.n * s.products * unit.size) / pace_of_writing(unit, shape, parts, s);
    return 1500 + std::max(multiplying, reading) + std::min(multiplying, reading) / 8 + writing +
           (parts == 1 ? 0 : adding(unit, shape, parts, whole, pieces, s));
}

constexpr bool may_cut(const Unit& unit, const PacedShape& shape, int parts, const Sizes& s) {
    const std::int64_t pieces = (s.tiles(shape.rows, shape.columns) - whole_tiles(shape, s)) * parts;
    return pieces > 0 && pieces <= (shape.groups > 1 ? s.multiprocessors : most_pieces) &&
           s.k / parts >= unit.least_of_part;
}

struct Choice {
    Tile tile;
    double nanoseconds;
};
/// is_alone: no product of a batch, which would be seen wrong from C's other side. one_order: nothing is cut.
constexpr Choice quickest(const Unit& unit, const Sizes& s, bool one_order, bool is_alone, bool for_parts = true) {
    Choice best{};
    const bool free = !one_order && is_alone && !parts::may_be_many(s.m, s.n, s.k);
    const auto weigh = [&](const PacedShape& shape, int parts) {
        if (&unit == &real && (is_beyond_l2(shape, s, parts > 1) || is_too_small(shape, s))) return;
        // Of two that are as quick the one with fewer parts: what it does not read and write leaves memory to others.
        const double all = time_of(unit, shape, parts, s) * (1 + 0.0025 * (parts - 1));
        if (best.tile.m == 0 || all < best.nanoseconds)
            best = {{shape.rows, shape.columns, k_of_tile(shape, parts, unit.step)}, all};
    };
    const auto each_cut = [&](const PacedShape& shape) {
        weigh(shape, 1);
        for (int parts = 2; free && for_parts && parts <= unit.most_parts; parts += parts < 16 ? 1 : 4) {
            if (may_cut(unit, shape, parts, s)) weigh(shape, parts);
            else if (parts >= 16) break;
        }
    };
    const bool is_odd = s.is_odd && unit.is_one_order_turned;
    for (const PacedShape& shape : is_odd ? std::span<const PacedShape>(shapes_of_odd) : unit.shapes) {
        if ((!for_parts || (s.is_odd && !is_odd)) && is_flat(shape)) continue;
        if (shape.groups > 1 && !(free && for_parts && s.tiles(shape.rows, shape.columns) <= s.multiprocessors))
            continue;
        if (s.is_odd && &unit == &complex && &shape != &unit.shapes.front() && &shape != &unit.shapes.back()) continue;
        // From C's other side a thread's neighbours lie down a column, and a warp stores whole lines.
        if (!(s.stores_ones && is_flat(shape) && unit.is_one_order_turned)) each_cut(shape);
        if (shape.rows != shape.columns && (unit.is_one_order_turned || free)) each_cut(turned(shape));
    }
    return best;
}

inline Choice choice_of(const Unit& unit, const Call& call, Oddness odd) noexcept {
    return quickest(unit, {sm90::sizes_of(call), odd.is_odd, odd.stores_ones}, call.reproducible, !call.batch,
                    is_for_parts());
}
inline Choice choice_of(const Unit& unit, const Problem& p, int multiprocessors, Oddness odd) noexcept {
    const bool turned = unit.is_one_order_turned && p.c == Form::col_major;
    return quickest(unit,
                    {{turned ? p.n : p.m, turned ? p.m : p.n, p.k, 1, multiprocessors}, odd.is_odd, odd.stores_ones},
                    false, true, is_for_parts());
}
/// Of matrices without gaps: numbers of 16 bytes never are odd, copies of single complex ones are of parts anyway.
constexpr Oddness odd_without_gaps(const Unit& unit, const Problem& p) {
    const std::int64_t a = p.a == Form::col_major ? p.m : p.k, b = p.b == Form::col_major ? p.k : p.n,
                       c = p.c == Form::col_major ? p.m : p.n;
    return {unit.is_one_order_turned && (a % 2 != 0 || b % 2 != 0), unit.size == 8 && c % 2 != 0};
}
inline double nanoseconds(const Unit& unit, const Problem& p) noexcept {
    return choice_of(unit, p, multiprocessors_for_costs(), odd_without_gaps(unit, p)).nanoseconds;
}
inline constexpr Oddness any_oddness[] = {{false, false}, {true, false}, {false, true}, {true, true}};

/// The tile that was asked for by name, where the device has it; else what is chosen.
inline Tile tile_of(const Unit& unit, const Call& call, Oddness odd, const Tile& by_name) noexcept {
    bool is_there = by_name != Tile{} && (is_for_parts() || !is_cut(by_name));
    for (const PacedShape& shape : unit.shapes)
        if (is_flat(shape) && shape.rows + shape.columns == by_name.m + by_name.n) is_there &= is_for_parts();
    return is_there ? by_name : choice_of(unit, call, odd).tile;
}
/// A free product of this shape may be summed in parts, or from C's other side where that changes the bits.
inline bool has_own_order(const Unit& unit, const Problem& p) noexcept {
    for (const Oddness odd : any_oddness) {
        const Tile tile = choice_of(unit, p, multiprocessors(), odd).tile;
        bool is_plain = unit.is_one_order_turned && !is_cut(tile);
        for (const PacedShape& shape : unit.shapes) is_plain |= tile == Tile{shape.rows, shape.columns, unit.step};
        if (!is_plain) return true;
    }
    return false;
}
/// Parts of a cluster need none.
inline std::size_t scratch_bytes(const Unit& unit, const Problem& p, const Tile& asked) noexcept {
    const std::size_t all = std::size_t{most_pieces} * largest;
    if (asked != Tile{}) return parts_of(asked) > 1 ? all : 0;
    for (const Oddness odd : any_oddness)
        if (parts_of(choice_of(unit, p, multiprocessors(), odd).tile) > 1) return all;
    return 0;
}

}  // namespace tw::cuda::dmma
