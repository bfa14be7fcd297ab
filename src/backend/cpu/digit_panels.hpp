// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels of int8 digits. Each row's block of k gets a power of two that makes whole numbers of 24 bits of its elements, and
// three signed digits of base 256 of each. Products of digits are summed exactly, in int32, by the Digits of the file that
// includes this; the sums of one weight are put together exactly in f64 and rounded once. So the bits of a result are
// the same on every instruction set.
//
//   x * 2^s = d0 * 2^16 + d1 * 2^8 + d2           weights:  2^32: d0 d0'            2^24: d0 d1' + d1 d0'
//                                                           2^16: d0 d2' + d1 d1' + d2 d0'     2^8: d1 d2' + d2 d1'
//
// A row whose bulk lies far below its largest element would lose too much: it is marked unless 11 of 16 of its elements
// reach a 16th of the largest (or all are zeros), and so is one with an Inf or a NaN.
//
//   a panel:  header | d0: step 0, step 0', step 1 ... | d1 ... | d2 ...     a step is 64 of k, its tile 16 rows of it
#pragma once

#include <bit>
#include <cstring>

#include "backend/cpu/digits.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t step_of_digits = 64;
constexpr int tile_rows = 16, tile_bytes = 1024;

constexpr std::int64_t digit_steps(std::int64_t k) { return (k + step_of_digits - 1) / step_of_digits; }
constexpr std::int64_t digit_bytes(std::int64_t k) { return digit_steps(k) * 2 * tile_bytes; }

constexpr double power_of_two(int exponent) {
    return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52);
}

/// The largest s for which an element of this size becomes a whole number of three digits, which end at 0x7f7f7f.
int scale_for(float largest) {
    int exponent = 0;
    double size = static_cast<double>(largest);   // normal in f64, whatever it is in f32
    const auto bits = std::bit_cast<std::uint64_t>(size);
    exponent = static_cast<int>(bits >> 52) - 1022;
    const int s = 23 - exponent;
    return size * power_of_two(s) > 8355711.0 ? s - 1 : s;
}

/// What a panel's rows have in common with the whole block of k.
struct RowScales {
    float largest[unit_side] = {}, threshold[unit_side];
    float first[unit_side], second[unit_side];   // two factors: one power of two may be out of f32's range
    std::int64_t reaching[unit_side] = {};
};

void find_largest(const PanelSource& x, RowScales& rows, std::uint32_t& outside) {
    const auto* const from = static_cast<const float*>(x.data);
    std::uint32_t sizes[unit_side] = {};
    for (std::int64_t p = 0; p < x.k; ++p)
        for (int w = 0; w < x.rows; ++w) {
            const std::uint32_t size = std::bit_cast<std::uint32_t>(from[w * x.row_step + p * x.step]) & 0x7fffffffu;
            sizes[w] = size > sizes[w] ? size : sizes[w];
        }
    for (int w = 0; w < x.rows; ++w) {
        outside |= std::uint32_t{sizes[w] >= 0x7f800000u} << w;
        rows.largest[w] = std::bit_cast<float>(sizes[w]);
    }
}

/// One row's 64 numbers of a step, as digits. Those that are not finite give any digits: their row is marked.
void to_digits(const float (&x)[step_of_digits], float first, float second, std::int8_t (&digits)[3][step_of_digits]) {
    for (std::int64_t p = 0; p < step_of_digits; ++p) {
        const float scaled = x[p] * first * second;
        const bool is_held = scaled >= -8355711.0f && scaled <= 8355711.0f;
        const auto whole = static_cast<std::int32_t>(__builtin_rintf(is_held ? scaled : 0.0f));
        const std::uint32_t bytes = (static_cast<std::uint32_t>(whole) + 0x808080u) ^ 0x808080u;
        digits[0][p] = static_cast<std::int8_t>(bytes >> 16);
        digits[1][p] = static_cast<std::int8_t>(bytes >> 8);
        digits[2][p] = static_cast<std::int8_t>(bytes);
    }
}

template <bool for_a>
void pack_digits(const PanelSource& source, std::byte* panel) {
    auto& header = *reinterpret_cast<DigitHeader*>(panel);
    header = {};
    RowScales rows;
    std::uint32_t outside = 0;
    find_largest(source, rows, outside);
    for (int w = 0; w < source.rows; ++w) {
        const bool is_plain = rows.largest[w] > 0 && !(outside >> w & 1u);
        const int s = is_plain ? scale_for(rows.largest[w]) : 0, half = s / 2;
        rows.first[w] = static_cast<float>(power_of_two(half));
        rows.second[w] = static_cast<float>(power_of_two(s - half));
        rows.threshold[w] = rows.largest[w] / 16;
        header.weight[w] = power_of_two(4 - s);
    }

    const auto* const from = static_cast<const float*>(source.data);
    for (std::int64_t step = 0; step < digit_steps(source.k); ++step) {
        const std::int64_t begin = step * step_of_digits, left = source.k - begin;
        const std::int64_t depth = left < step_of_digits ? left : step_of_digits;
        float laid[unit_side][step_of_digits] = {};
        for (std::int64_t p = 0; p < depth; ++p)
            for (int w = 0; w < source.rows; ++w) laid[w][p] = from[w * source.row_step + (begin + p) * source.step];
        for (int w = 0; w < unit_side; ++w) {
            std::int8_t digits[3][step_of_digits] = {};
            if (w < source.rows) {
                to_digits(laid[w], rows.first[w], rows.second[w], digits);
                for (std::int64_t p = 0; p < depth; ++p) rows.reaching[w] += __builtin_fabsf(laid[w][p]) >= rows.threshold[w];
            }
            for (int d = 0; d < 3; ++d) {
                std::byte* const tile = panel + sizeof(DigitHeader) + d * digit_bytes(source.k) + (2 * step + w / tile_rows) * tile_bytes;
                for (const std::int8_t digit : digits[d]) header.sum[d][w] += digit;
                if constexpr (for_a)
                    std::memcpy(tile + 64 * (w % tile_rows), digits[d], 64);
                else
                    for (int q = 0; q < 16; ++q) std::memcpy(tile + 64 * q + 4 * (w % tile_rows), digits[d] + 4 * q, 4);
            }
        }
    }
    for (int w = 0; w < source.rows; ++w)
        outside |= std::uint32_t{rows.largest[w] > 0 && 16 * rows.reaching[w] < 11 * source.k} << w;
    header.panel.outside = outside;
}

/// Pairs of digits whose products have one weight.
struct DigitPairs {
    int count;
    int a[3], b[3];
};
constexpr DigitPairs digit_pairs[4] = {{1, {0}, {0}}, {2, {1, 0}, {0, 1}}, {3, {0, 1, 2}, {2, 1, 0}}, {2, {1, 2}, {2, 1}}};

template <int products>
void multiply_digits(const UnitTile& tile) {
    constexpr int weights = products == 8 ? 4 : 3;
    alignas(64) std::int32_t sums[weights][unit_side * unit_side];
    const auto &a = *reinterpret_cast<const DigitHeader*>(tile.a), &b = *reinterpret_cast<const DigitHeader*>(tile.b);
    for (int weight = 0; weight < weights; ++weight)
        Digits::add_up(digit_pairs[weight], digit_steps(tile.k), tile.a, tile.b, sums[weight]);
    for (int i = 0; i < unit_side; ++i)
        for (int j = 0; j < unit_side; ++j) {
            const int at = i * unit_side + j;
            double sum = sums[0][at];   // below 2^48 with all its digits: exact
            for (int weight = 1; weight < weights; ++weight) sum = sum * 256 + sums[weight][at];
            if constexpr (weights == 3) sum *= 256;
            tile.sums[at] = static_cast<float>(sum * (a.weight[i] * b.weight[j]));
        }
}

void meet(const UnitResult& r) {
    for (int i = 0; i < r.rows; ++i) {
        const float* const sums = r.sums + i * unit_side;
        float* const c = r.c + i * r.c_step;
        for (int j = 0; j < r.cols; ++j) c[j] = r.beta == 0 ? r.alpha * sums[j] : r.alpha * sums[j] + r.beta * c[j];
    }
}

constexpr DigitUnit digit_unit(void (*begin)(), void (*end)()) {
    return {begin, end, {pack_digits<true>, pack_digits<false>, multiply_digits<8>},
            {pack_digits<true>, pack_digits<false>, multiply_digits<6>}, meet};
}

}  // namespace
}  // namespace tw::cpu
