// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels of int8 digits. Each row's block of k gets a power of two that makes whole numbers of 24 bits of its elements, and
// three signed digits of base 256 of each. Products of digits are summed exactly, in int32, by the Digits of the file that
// includes this, and the sums of one weight are put together in f32 by its DigitLanes: the largest is exact there, and what
// is added to it is rounded where it weighs a 256th. So the bits of a result are the same on every instruction set.
//
//   x * 2^s = d0 * 2^16 + d1 * 2^8 + d2           weights:  2^32: d0 d0'            2^24: d0 d1' + d1 d0'
//                                                           2^16: d0 d2' + d1 d1' + d2 d0'     2^8: d1 d2' + d2 d1'
//
// A row whose bulk lies far below its largest element would lose too much: it is marked unless 11 of 16 of its elements
// reach a 16th of the largest (or all are zeros), and so is one whose largest element is an Inf, a NaN or outside of the
// window, where f32 may not hold its scale.
//
//   a panel:  header | d0: step 0, step 0', step 1 ... | d1 ... | d2 ...
//             a step is 64 of k in an order of its own, the same for A and B; its tile has 16 rows of it
#pragma once

#include <bit>

#include "backend/cpu/digits.hpp"
#include "backend/cpu/meanwhile.hpp"
#include "backend/cpu/window.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t step_of_digits = 64;
constexpr int tile_rows = 16, tile_bytes = 1024, quarter = 16;

constexpr std::int64_t digit_steps(std::int64_t k) { return (k + step_of_digits - 1) / step_of_digits; }

constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

/// The largest s for which an element of this size becomes a whole number of three digits, which end at 0x7f7f7f.
int scale_for(std::uint32_t largest) {
    const int s = 149 - static_cast<int>(largest >> 23);
    return std::bit_cast<float>(largest) * power_of_two(s) > 8355711.0f ? s - 1 : s;
}

/// What a panel's rows have in common with the whole block of k.
struct RowScales {
    alignas(64) std::uint32_t largest[unit_side] = {};   ///< the bits of it
    alignas(64) float scale[unit_side], threshold[unit_side];
    alignas(64) std::uint32_t reaching[unit_side] = {};
};

void find_largest(const PanelSource& x, RowScales& rows) {
    const auto* const from = static_cast<const float*>(x.data);
    const auto look_at = [&](int w, std::int64_t p) {
        const std::uint32_t size = std::bit_cast<std::uint32_t>(from[w * x.row_step + p * x.step]) & 0x7fffffffu;
        rows.largest[w] = size > rows.largest[w] ? size : rows.largest[w];
    };
    if (x.step == 1) {
        for (int w = 0; w < x.rows; ++w) {
            auto sizes = DigitLanes::no_numbers();
            std::int64_t p = 0;
            for (; p + 16 <= x.k; p += 16) sizes = DigitLanes::larger(sizes, DigitLanes::load(from + w * x.row_step + p));
            rows.largest[w] = DigitLanes::largest(sizes);
            for (; p < x.k; ++p) look_at(w, p);
        }
    } else if (x.row_step == 1 && x.rows == unit_side) {
        auto left = DigitLanes::no_numbers(), right = left;
        for (std::int64_t p = 0; p < x.k; ++p) {
            __builtin_prefetch(from + (p + 24) * x.step);   // a row of B lies on a page of its own, which no hardware prefetches
            __builtin_prefetch(from + (p + 24) * x.step + 16);
            left = DigitLanes::larger(left, DigitLanes::load(from + p * x.step));
            right = DigitLanes::larger(right, DigitLanes::load(from + p * x.step + 16));
        }
        DigitLanes::store(rows.largest, left), DigitLanes::store(rows.largest + 16, right);
    } else {
        for (std::int64_t p = 0; p < x.k; ++p)
            for (int w = 0; w < x.rows; ++w) look_at(w, p);
    }
}

/// Sixteen rows by 64 of k become one tile of each digit, `apart` from one another. `along_k`: the rows are contiguous along
/// it, else they lie side by side. A tile of A has a row of the operand in each of its own, one of B has it in a column.
template <bool for_a>
void cut_block(const float* from, std::int64_t between, bool along_k, const RowScales& rows, std::uint32_t* reaching, int first,
               std::byte* to, std::ptrdiff_t apart) {
    if (along_k) {
        for (int w = 0; w < tile_rows; ++w) {
            const float* const row = from + w * between;
            const DigitLanes::Floats x[4] = {DigitLanes::load(row), DigitLanes::load(row + 16), DigitLanes::load(row + 32),
                                             DigitLanes::load(row + 48)};
            const auto threshold = DigitLanes::all(rows.threshold[first + w]);
            auto counts = DigitLanes::no_numbers();
            for (const auto& part : x) counts = DigitLanes::reaching(counts, part, threshold);
            reaching[first + w] += DigitLanes::total(counts);
            DigitLanes::cut(x, DigitLanes::all(rows.scale[first + w]), to + 64 * w, apart);
        }
    } else {
        const auto scale = DigitLanes::load(rows.scale + first), threshold = DigitLanes::load(rows.threshold + first);
        auto counts = DigitLanes::load_numbers(reaching + first);
        for (int q = 0; q < quarter; ++q) {
            const float* const at = from + q * between;
            const DigitLanes::Floats x[4] = {DigitLanes::load(at), DigitLanes::load(at + 16 * between),
                                             DigitLanes::load(at + 32 * between), DigitLanes::load(at + 48 * between)};
            for (const auto& part : x) counts = DigitLanes::reaching(counts, part, threshold);
            DigitLanes::cut(x, scale, to + 64 * q, apart);
        }
        DigitLanes::store(reaching + first, counts);
    }
    if (along_k != for_a)
        for (int digit = 0; digit < 3; ++digit) DigitLanes::transpose(to + digit * apart);
}

/// The same of a block that is cut short, or whose elements lie apart: laid out along k first, with zeros behind.
template <bool for_a>
void cut_ragged_block(const float* from, const PanelSource& source, int count, std::int64_t depth, const RowScales& rows,
                      std::uint32_t* reaching, int first, std::byte* to, std::ptrdiff_t apart) {
    float laid[tile_rows][step_of_digits] = {};
    for (int w = 0; w < count; ++w)
        for (std::int64_t p = 0; p < depth; ++p) laid[w][p] = from[w * source.row_step + p * source.step];
    cut_block<for_a>(&laid[0][0], step_of_digits, true, rows, reaching, first, to, apart);
}

template <bool for_a>
void pack_digits(const PanelSource& source, std::byte* panel) {
    auto& header = *reinterpret_cast<DigitHeader*>(panel);
    header = {};
    RowScales rows;
    std::uint32_t outside = 0;
    find_largest(source, rows);
    for (int w = 0; w < unit_side; ++w) {
        const std::uint32_t largest = rows.largest[w];
        const bool is_plain = largest >= window_begin && largest < window_end;
        const int s = is_plain ? scale_for(largest) : 0;
        outside |= std::uint32_t{largest != 0 && !is_plain} << w;
        rows.scale[w] = power_of_two(s);
        rows.threshold[w] = is_plain ? std::bit_cast<float>(largest) / 16 : 0;
        header.weight[w] = power_of_two(16 - s);
    }

    const auto* const from = static_cast<const float*>(source.data);
    const std::ptrdiff_t apart = digit_steps(source.k) * 2 * tile_bytes;
    std::byte* const tiles = panel + sizeof(DigitHeader);
    for (std::int64_t begin = 0; begin < source.k; begin += step_of_digits) {
        const std::int64_t depth = source.k - begin < step_of_digits ? source.k - begin : step_of_digits;
        for (int w = 0; w < unit_side; w += tile_rows) {
            const int count = source.rows - w < tile_rows ? source.rows - w : tile_rows;
            std::byte* const to = tiles + begin * unit_side + w / tile_rows * tile_bytes;
            const float* const block = from + w * source.row_step + begin * source.step;
            const bool is_whole = count == tile_rows && depth == step_of_digits && (source.step == 1 || source.row_step == 1);
            if (is_whole)
                cut_block<for_a>(block, source.step == 1 ? source.row_step : source.step, source.step == 1, rows, rows.reaching, w,
                                 to, apart);
            else
                cut_ragged_block<for_a>(block, source, count, depth, rows, rows.reaching, w, to, apart);
        }
    }
    for (int w = 0; w < source.rows; ++w)
        outside |= std::uint32_t{rows.largest[w] != 0 && 16 * std::int64_t{rows.reaching[w]} < 11 * source.k} << w;
    header.panel.outside = outside;
    if constexpr (!for_a) Digits::sum_up(tiles, digit_steps(source.k), header.sum);
}

/// Pairs of digits whose products have one weight.
struct DigitPairs {
    int count;
    int a[3], b[3];
};
constexpr DigitPairs digit_pairs[4] = {{1, {0}, {0}}, {2, {1, 0}, {0, 1}}, {3, {0, 1, 2}, {2, 1, 0}}, {2, {1, 2}, {2, 1}}};

template <int products>
constexpr int weights_of = products == 8 ? 4 : 3;

/// Sums of one weight behind those of another, the greatest first.
std::int32_t* sums_of(std::byte* sums, int weight) { return reinterpret_cast<std::int32_t*>(sums) + weight * unit_side * unit_side; }

template <int products>
void meet_row(const UnitResult& r, int i) {
    const auto* const sums = reinterpret_cast<const std::int32_t*>(r.sums->of) + i * unit_side;
    const auto &a = *reinterpret_cast<const DigitHeader*>(r.a), &b = *reinterpret_cast<const DigitHeader*>(r.b);
    float* const c = r.c + i * r.c_step;
    for (int j = 0; j < r.cols; j += 16) {
        const auto sum = DigitLanes::put_together<weights_of<products>>(sums + j, unit_side * unit_side, a.weight[i], b.weight + j);
        DigitLanes::meet(sum, c + j, r.cols - j < 16 ? r.cols - j : 16, r.alpha, r.beta);
    }
}

template <int products>
void meet(const UnitResult& r) {
    for (int i = 0; i < r.rows; ++i) meet_row<products>(r, i);
}

/// First the weight that takes the most steps: the tile before has to meet C before any sums are stored.
template <int products>
void multiply_digits(const UnitTile& tile) {
    const auto& b = *reinterpret_cast<const DigitHeader*>(tile.b);
    const DigitTiles tiles{digit_steps(tile.k), tile.a + sizeof(DigitHeader), tile.b + sizeof(DigitHeader), b.sum};
    Meanwhile<meet_row<products>> meanwhile(tile, digit_pairs[2].count * tiles.steps);
    Digits::add_up(digit_pairs[2], tiles, [&] { meanwhile.step(); }, sums_of(tile.sums->of, 2));
    if constexpr (products == 8) Digits::add_up(digit_pairs[3], tiles, [] {}, sums_of(tile.sums->of, 3));
    for (int weight = 1; weight >= 0; --weight) Digits::add_up(digit_pairs[weight], tiles, [] {}, sums_of(tile.sums->of, weight));
}

constexpr DigitUnit digit_unit(void (*begin)(), void (*end)()) {
    return {begin, end, {{pack_digits<true>, pack_digits<false>, multiply_digits<8>}, meet<8>},
            {{pack_digits<true>, pack_digits<false>, multiply_digits<6>}, meet<6>}};
}

}  // namespace
}  // namespace tw::cpu
