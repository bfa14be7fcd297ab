// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How operands are cut into bf16 parts on their way into panels, by sixteen lanes of AVX-512 or of plain C++.
//
//   x = hi + mid + lo, each rounded to nearest bf16: 8 + 8 + 8 bits, exact inside the window
//
//   a panel:  header | step 0: hi hi' mid mid' lo lo' | step 1: ...       one step is 32 of k, one word 16 rows x 32 of
//   k;
//                                                                         x' is the second half of the 32 rows
//   a tile of A holds pairs along k in each of its rows; one of B has a pair of k in each row, for 16 columns
#pragma once

#include "backend/cpu/unit/matrix_unit.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t step_of_k = 32;
constexpr int tile_rows = 16, tile_bytes = 1024, part_bytes = 2 * tile_bytes;

constexpr std::int64_t steps_in(std::int64_t k) { return (k + step_of_k - 1) / step_of_k; }

/// Rows side by side that are packed together: a line of memory.
template <class Element>
constexpr int at_once = 64 / sizeof(Element);

/// What the next block will be cut from is asked for: its rows lie on pages of their own.
template <class Element>
void expect(const Element* from, const PanelSource& source, int width) {
    constexpr std::int64_t line = 64 / sizeof(Element);
    const bool along_k = source.step == 1;
    const std::int64_t runs = along_k ? tile_rows : step_of_k, length = along_k ? step_of_k : width;
    const std::int64_t between = along_k ? source.row_step : source.step;
    for (std::int64_t run = 0; run < runs; ++run)
        for (std::int64_t at = 0; at < length; at += line) __builtin_prefetch(from + run * between + at, 0, 2);
}

template <class Lanes>
struct Bf16Packing {
    /// Sixteen lanes cut into parts, handed one by one to `take(part, halves of x, halves of y)`.
    template <int parts, class Take>
    [[gnu::always_inline]] static void cut(typename Lanes::Floats x, typename Lanes::Floats y, const Take& take) {
        for (int part = 0; part < parts; ++part) {
            const auto first = Lanes::rounded(x), second = Lanes::rounded(y);
            take(part, first, second);
            if (part + 1 == parts) break;
            x = Lanes::minus(x, Lanes::widened(first));
            y = Lanes::minus(y, Lanes::widened(second));
        }
    }

    // 16 rows by 32 of k become one tile of each part, `part_bytes` apart. Rows that are contiguous along k give words
    // that are a tile of A's, rows that lie side by side give one of B's; the other is a transposition away. All return
    // which of the rows leave the window.

    /// Elements that are bf16 already are one part, as they are.
    template <int parts, bool for_a>
    static std::uint32_t pack_rows(const std::uint16_t* from, std::int64_t row_step, std::byte* to) {
        std::uint32_t outside = 0;
        for (int w = 0; w < tile_rows; ++w) {
            const auto x = Lanes::load_words(from + w * row_step);
            outside |= std::uint32_t{Lanes::halves_outside(x) != 0} << w;
            Lanes::store(to + w * 64, x);
        }
        if (!for_a) Lanes::transpose(to);
        return outside;
    }
    /// Two tiles of them.
    template <int parts, bool for_a>
    static std::uint32_t pack_lines(const std::uint16_t* from, std::int64_t step, std::byte* to) {
        std::uint32_t outside = 0;
        for (int q = 0; q < tile_rows; ++q) {
            const auto even = Lanes::load_words(from + 2 * q * step),
                       odd = Lanes::load_words(from + (2 * q + 1) * step);
            outside |= Lanes::halves_outside(even) | Lanes::halves_outside(odd);
            Lanes::store(to + q * 64, Lanes::low_pairs(even, odd));
            Lanes::store(to + tile_bytes + q * 64, Lanes::high_pairs(even, odd));
        }
        if (for_a) Lanes::transpose(to), Lanes::transpose(to + tile_bytes);
        return outside;
    }

    template <int parts, bool for_a>
    static std::uint32_t pack_rows(const float* from, std::int64_t row_step, std::byte* to) {
        std::uint32_t outside = 0;
        for (int w = 0; w < tile_rows; ++w) {
            const auto x = Lanes::load(from + w * row_step), y = Lanes::load(from + w * row_step + tile_rows);
            const auto found = Lanes::bits(Lanes::either(Lanes::outside(x), Lanes::outside(y)));
            outside |= std::uint32_t{found != 0} << w;
            cut<parts>(x, y, [&](int part, auto first, auto second) {
                Lanes::store(to + part * part_bytes + w * 64, Lanes::joined(first, second));
            });
        }
        for (int part = 0; part < parts && !for_a; ++part) Lanes::transpose(to + part * part_bytes);
        return outside;
    }
    template <int parts, bool for_a>
    static std::uint32_t pack_lines(const float* from, std::int64_t step, std::byte* to) {
        auto found = Lanes::either(0, 0);
        for (int q = 0; q < tile_rows; ++q) {
            const auto x = Lanes::load(from + 2 * q * step), y = Lanes::load(from + (2 * q + 1) * step);
            found = Lanes::either(found, Lanes::either(Lanes::outside(x), Lanes::outside(y)));
            cut<parts>(x, y, [&](int part, auto even, auto odd) {
                Lanes::store(to + part * part_bytes + q * 64, Lanes::interleaved(even, odd));
            });
        }
        for (int part = 0; part < parts && for_a; ++part) Lanes::transpose(to + part * part_bytes);
        return Lanes::bits(found);
    }

    /// A block that is cut short, or whose elements lie apart: laid out along k with zeros behind first.
    template <int parts, bool for_a, class Element>
    static std::uint32_t pack_ragged(const Element* from, std::int64_t row_step, std::int64_t step, int rows, int depth,
                                     std::byte* to) {
        Element laid[tile_rows][step_of_k] = {};
        for (int w = 0; w < rows && w < tile_rows; ++w)
            for (int p = 0; p < depth; ++p) laid[w][p] = from[w * row_step + p * step];
        return pack_rows<parts, for_a>(&laid[0][0], step_of_k, to);
    }

    /// At most `width` rows by one step of k, which go into one panel.
    template <int parts, bool for_a, class Element>
    static void pack_strip(const PanelSource& source, std::int64_t w, std::int64_t p, int width, std::byte* panels,
                           std::uint32_t* outside) {
        const auto rows = static_cast<int>(source.rows - w < width ? source.rows - w : width);
        const auto depth = static_cast<int>(source.k - p < step_of_k ? source.k - p : step_of_k);
        const std::int64_t panel = w / unit_side, in_panel = w % unit_side;
        std::byte* const begin = panels + static_cast<std::size_t>(panel) * source.room;
        std::byte* const to =
            begin + sizeof(PanelHeader) + p / step_of_k * parts * part_bytes + in_panel / tile_rows * tile_bytes;
        const Element* const from = static_cast<const Element*>(source.data) + w * source.row_step + p * source.step;
        const bool is_whole = rows == width && depth == step_of_k;
        std::uint32_t found = 0;
        if (is_whole && source.step == 1) {
            found = pack_rows<parts, for_a>(from, source.row_step, to);
        } else if (is_whole && source.row_step == 1) {
            found = pack_lines<parts, for_a>(from, source.step, to);
        } else {
            for (int i = 0; i < rows; i += tile_rows)
                found |= pack_ragged<parts, for_a>(from + i * source.row_step, source.row_step, source.step, rows - i,
                                                   depth, to + i / tile_rows * tile_bytes)
                         << i;
        }
        outside[panel] |= found << in_panel;
    }

    /// After one another go the steps of the same rows, or, where rows lie side by side, those of one step: memory is
    /// read in runs that its prefetchers follow.
    template <int parts, bool for_a, class Element>
    static void pack(const PanelSource& source, std::byte* panels) {
        const auto* const from = static_cast<const Element*>(source.data);
        const int width = source.step != 1 && source.row_step == 1 ? at_once<Element> : tile_rows;
        std::uint32_t outside[unit_panels_at_once] = {};
        const auto strip = [&](std::int64_t w, std::int64_t p) {
            pack_strip<parts, for_a, Element>(source, w, p, width, panels, outside);
        };
        if (source.step == 1) {
            for (std::int64_t w = 0; w < source.rows; w += width)
                for (std::int64_t p = 0; p < source.k; p += step_of_k) {
                    expect(from + w * source.row_step + p + step_of_k, source, width);
                    strip(w, p);
                }
        } else {
            for (std::int64_t p = 0; p < source.k; p += step_of_k)
                for (std::int64_t w = 0; w < source.rows; w += width) {
                    const bool is_last = w + width >= source.rows;
                    const std::int64_t next_w = is_last ? 0 : w + width, next_p = is_last ? p + step_of_k : p;
                    expect(from + next_w * source.row_step + next_p * source.step, source, width);
                    strip(w, p);
                }
        }
        for (std::int64_t panel = 0; panel * unit_side < source.rows; ++panel)
            *reinterpret_cast<PanelHeader*>(panels + static_cast<std::size_t>(panel) * source.room) = {outside[panel],
                                                                                                       {}};
    }

    template <int parts, bool for_a>
    static void pack_any(const PanelSource& source, std::byte* panels) {
        source.is_bf16 ? pack<1, for_a, std::uint16_t>(source, panels) : pack<parts, for_a, float>(source, panels);
    }
};

}  // namespace
}  // namespace tw::cpu
