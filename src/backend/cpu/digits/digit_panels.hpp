// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels of int8 digits. Each row's block of k gets a power of two that makes whole numbers of 24 bits of its elements,
// and three signed digits of base 256 of each. Products of digits are summed exactly, in int32, by the Digits of the
// file that includes this, and the sums of one weight are put together in f32 by its DigitLanes: the largest is exact
// there, and what is added to it is rounded where it weighs a 256th. So the bits of a result are the same on every
// instruction set.
//
// A row whose bulk lies far below its largest element would lose too much: it is marked unless 11 of 16 of its elements
// reach a 16th of the largest (or all are zeros), and so is one whose largest element is an Inf, a NaN or outside of
// the window, where f32 may not hold its scale.
//
//   a panel:  header | rows 0 to 15: step 0: d0 d1 d2 | step 1: d0 d1 d2 | ... | rows 16 to 31: step 0: ...
//             a step is 64 of k in an order of its own, the same for A and B
#pragma once

#include <bit>

#include "backend/cpu/digits/pairs.hpp"
#include "backend/cpu/unit/side_work.hpp"
#include "backend/cpu/unit/window.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t step_of_digits = 64;
constexpr int tile_rows = 16, quarter = 16;

constexpr std::int64_t digit_steps(std::int64_t k) { return (k + step_of_digits - 1) / step_of_digits; }

constexpr float power_of_two(int exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(127 + exponent) << 23);
}

/// The largest s for which an element of this size becomes a whole number of three digits, which end at 0x7f7f7f.
int scale_for(std::uint32_t largest) {
    const int s = 149 - static_cast<int>(largest >> 23);
    return std::bit_cast<float>(largest) * power_of_two(s) > 8355711.0f ? s - 1 : s;
}

/// Sixteen rows of a panel, or fewer, over the whole block of k.
struct RowStrip {
    const float* from;
    std::int64_t row_step, step;
    int rows;
    std::int64_t k;
};

/// What a strip's rows have in common with the whole block of k.
struct RowScales {
    alignas(64) std::uint32_t largest[tile_rows] = {};  ///< the bits of it
    alignas(64) float scale[tile_rows], threshold[tile_rows];
    alignas(64) std::uint32_t reaching[tile_rows] = {};
};

/// Rows that lie side by side, laid behind one another: a row of k lies on a page of its own, which no hardware
/// prefetches, and all of them may fall into one set of the caches, so they are read once.
struct LaidOut {
    alignas(64) float of[digits_block][tile_rows];
};

/// What the next strip will be cut from is asked for while this one is: one step of it.
inline void expect_next(const RowStrip& x, std::int64_t begin) {
    constexpr int line = 64 / sizeof(float);
    const bool along_k = x.step == 1;
    const std::int64_t lines = along_k ? step_of_digits / line : 1, runs = along_k ? tile_rows : step_of_digits;
    const float* from = x.from + tile_rows * x.row_step + begin * x.step;
    for (std::int64_t run = 0; run < runs; ++run, from += along_k ? x.row_step : x.step)
        for (std::int64_t i = 0; i < lines; ++i) __builtin_prefetch(from + i * line, 0, 2);
}

template <class Digits, class DigitLanes>
struct DigitPanels {
    static void find_largest(const RowStrip& x, RowScales& rows, LaidOut& laid) {
        const auto look_at = [&](int w, std::int64_t p) {
            const std::uint32_t size = std::bit_cast<std::uint32_t>(x.from[w * x.row_step + p * x.step]) & 0x7fffffffu;
            rows.largest[w] = size > rows.largest[w] ? size : rows.largest[w];
        };
        if (x.step == 1) {
            for (int w = 0; w < x.rows; ++w) {
                auto sizes = DigitLanes::no_numbers();
                std::int64_t p = 0;
                for (; p + 16 <= x.k; p += 16)
                    sizes = DigitLanes::larger(sizes, DigitLanes::load(x.from + w * x.row_step + p));
                rows.largest[w] = DigitLanes::largest(sizes);
                for (; p < x.k; ++p) look_at(w, p);
            }
        } else if (x.row_step == 1 && x.rows == tile_rows) {
            auto sizes = DigitLanes::no_numbers();
            for (std::int64_t p = 0; p < x.k; ++p) {
                __builtin_prefetch(x.from + (p + 24) * x.step);
                const auto row = DigitLanes::load(x.from + p * x.step);
                sizes = DigitLanes::larger(sizes, row);
                DigitLanes::store(laid.of[p], row);
            }
            DigitLanes::store(rows.largest, sizes);
        } else {
            for (std::int64_t p = 0; p < x.k; ++p)
                for (int w = 0; w < x.rows; ++w) look_at(w, p);
        }
    }

    /// Sixteen rows by 64 of k become one tile of each digit. `along_k`: the rows are contiguous along it, else they
    /// lie side by side. A tile of A has a row of the operand in each of its own, one of B has it in a column.
    template <bool for_a>
    static void cut_block(const float* from, std::int64_t between, bool along_k, RowScales& rows, std::byte* to) {
        if (along_k) {
            for (int w = 0; w < tile_rows; ++w) {
                const float* const row = from + w * between;
                const typename DigitLanes::Floats x[4] = {DigitLanes::load(row), DigitLanes::load(row + 16),
                                                          DigitLanes::load(row + 32), DigitLanes::load(row + 48)};
                const auto threshold = DigitLanes::all(rows.threshold[w]);
                auto counts = DigitLanes::no_numbers();
                for (const auto& part : x) counts = DigitLanes::reaching(counts, part, threshold);
                rows.reaching[w] += DigitLanes::total(counts);
                DigitLanes::cut(x, DigitLanes::all(rows.scale[w]), to + 64 * w, digit_tile_bytes);
            }
        } else {
            const auto scale = DigitLanes::load(rows.scale), threshold = DigitLanes::load(rows.threshold);
            auto counts = DigitLanes::load_numbers(rows.reaching);
            for (int q = 0; q < quarter; ++q) {
                const float* const at = from + q * between;
                const typename DigitLanes::Floats x[4] = {DigitLanes::load(at), DigitLanes::load(at + 16 * between),
                                                          DigitLanes::load(at + 32 * between),
                                                          DigitLanes::load(at + 48 * between)};
                for (const auto& part : x) counts = DigitLanes::reaching(counts, part, threshold);
                DigitLanes::cut(x, scale, to + 64 * q, digit_tile_bytes);
            }
            DigitLanes::store(rows.reaching, counts);
        }
        if (along_k != for_a)
            for (int digit = 0; digit < 3; ++digit) DigitLanes::transpose(to + digit * digit_tile_bytes);
    }

    /// The same of a block that is cut short, or whose elements lie apart: laid out along k first, with zeros behind.
    template <bool for_a>
    static void cut_ragged_block(const RowStrip& x, std::int64_t begin, std::int64_t depth, RowScales& rows,
                                 std::byte* to) {
        float laid[tile_rows][step_of_digits] = {};
        for (int w = 0; w < x.rows; ++w)
            for (std::int64_t p = 0; p < depth; ++p) laid[w][p] = x.from[w * x.row_step + (begin + p) * x.step];
        cut_block<for_a>(&laid[0][0], step_of_digits, true, rows, to);
    }

    /// Returns which of the rows digits would not give back.
    template <bool for_a>
    static std::uint32_t pack_strip(const RowStrip& x, float* weight, std::byte* to) {
        RowScales rows;
        LaidOut laid;
        std::uint32_t outside = 0;
        find_largest(x, rows, laid);
        for (int w = 0; w < tile_rows; ++w) {
            const std::uint32_t largest = rows.largest[w];
            const bool is_plain = largest >= window_begin && largest < window_end;
            const int s = is_plain ? scale_for(largest) : 0;
            outside |= std::uint32_t{largest != 0 && !is_plain} << w;
            rows.scale[w] = power_of_two(s);
            rows.threshold[w] = is_plain ? std::bit_cast<float>(largest) / 16 : 0;
            weight[w] = power_of_two(16 - s);
        }
        for (std::int64_t begin = 0; begin < x.k; begin += step_of_digits, to += digit_step_bytes) {
            const std::int64_t depth = x.k - begin < step_of_digits ? x.k - begin : step_of_digits;
            expect_next(x, begin);
            if (x.rows < tile_rows || depth < step_of_digits || (x.step != 1 && x.row_step != 1))
                cut_ragged_block<for_a>(x, begin, depth, rows, to);
            else if (x.step == 1) cut_block<for_a>(x.from + begin, x.row_step, true, rows, to);
            else cut_block<for_a>(laid.of[begin], tile_rows, false, rows, to);
        }
        for (int w = 0; w < x.rows; ++w)
            outside |= std::uint32_t{rows.largest[w] != 0 && 16 * std::int64_t{rows.reaching[w]} < 11 * x.k} << w;
        return outside;
    }

    template <bool for_a>
    static void pack_digits(const PanelSource& source, std::byte* panel) {
        constexpr int width = for_a ? Digits::rows : Digits::columns;
        auto& header = *reinterpret_cast<DigitHeader*>(panel);
        header = {};
        const std::int64_t steps = digit_steps(source.k);
        std::byte* const tiles = panel + sizeof(DigitHeader);
        for (int w = 0; w < width; w += tile_rows) {
            const int left = source.rows > w ? source.rows - w : 0;
            const RowStrip strip{static_cast<const float*>(source.data) + w * source.row_step, source.row_step,
                                 source.step, left < tile_rows ? left : tile_rows, source.k};
            header.panel.outside |=
                pack_strip<for_a>(strip, header.weight + w, tiles + w / tile_rows * steps * digit_step_bytes) << w;
        }
        if constexpr (!for_a) Digits::sum_up(tiles, steps, header.sum);
    }

    /// A result that is as wide as a tile, in lines of sixteen sums: those of the left columns, then the next.
    template <int products>
    class ResultLines {
    public:
        static int lines(const UnitResult&) { return Digits::rows * (Digits::columns / 16); }

        [[gnu::always_inline]] explicit ResultLines(const UnitResult* r) {
            if (!r) return;
            sums_ = reinterpret_cast<const std::int32_t*>(r->sums->of), c_ = reinterpret_cast<float*>(r->c),
            c_step_ = r->c_step;
            a_weight_ = reinterpret_cast<const DigitHeader*>(r->a)->weight;
            b_weight_ = reinterpret_cast<const DigitHeader*>(r->b)->weight;
            alpha_ = r->alpha, beta_ = r->beta, reads_c_ = r->beta != 0, rows_ = r->rows;
        }
        [[gnu::always_inline]] void line(int at) const {
            const int i = at % Digits::rows, j = at / Digits::rows * 16;
            if (i >= rows_) return;
            DigitLanes::add_all_to_c(sum(i, j), c_ + i * c_step_ + j, DigitLanes::all(alpha_), DigitLanes::all(beta_),
                                     reads_c_);
        }
        void some_of_line(int i, int j, int cols) const {
            DigitLanes::add_to_c(sum(i, j), c_ + i * c_step_ + j, cols, alpha_, beta_);
        }

    private:
        [[gnu::always_inline]] auto sum(int i, int j) const {
            constexpr int weight = Digits::rows * Digits::columns;
            return DigitLanes::template put_together<digit_weights<products>>(sums_ + Digits::at(i, j), weight,
                                                                              a_weight_[i], b_weight_ + j);
        }

        const std::int32_t* sums_ = nullptr;
        const float *a_weight_ = nullptr, *b_weight_ = nullptr;
        float* c_ = nullptr;
        std::int64_t c_step_ = 0;
        float alpha_ = 1, beta_ = 0;
        bool reads_c_ = false;
        int rows_ = 0;
    };

    template <int products>
    static void add_to_c(const UnitResult& r) {
        const ResultLines<products> result(&r);
        for (int i = 0; i < r.rows; ++i)
            for (int j = 0; j < r.cols; j += 16) result.some_of_line(i, j, r.cols - j < 16 ? r.cols - j : 16);
    }

    template <int products>
    static void multiply_digits(const UnitTile& tile) {
        const auto& b = *reinterpret_cast<const DigitHeader*>(tile.b);
        const DigitTiles tiles{digit_steps(tile.k), tile.a + sizeof(DigitHeader), tile.b + sizeof(DigitHeader), b.sum};
        SideWork<ResultLines<products>> side_work(tile, Digits::steps(tiles));
        Digits::template add_up<products>(
            tiles, [&] { side_work.step(); }, reinterpret_cast<std::int32_t*>(tile.next.sums->of));
    }

    template <int products>
    static constexpr UnitPanels panels{pack_digits<true>, pack_digits<false>, multiply_digits<products>};

    static constexpr DigitUnit digit_unit(void (*begin)(), void (*end)()) {
        return {begin,
                end,
                Digits::rows,
                Digits::columns,
                Digits::walks_rows,
                {panels<8>, add_to_c<8>},
                {panels<6>, add_to_c<6>}};
    }
};

}  // namespace
}  // namespace tw::cpu
