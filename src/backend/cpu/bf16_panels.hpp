// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Panels of bf16 parts: how operands are cut on their way in, and how two panels are multiplied. Written over Tiles and
// Lanes, whichever the including file has included before: the unit's own or the emulated ones.
//
//   x = hi + mid + lo, each rounded to nearest bf16: 8 + 8 + 8 bits, exact inside the window
//
//   a panel:  header | step 0: hi hi' mid mid' lo lo' | step 1: ...       one step is 32 of k, one word 16 rows x 32 of k;
//                                                                         x' is the second half of the 32 rows
//   a tile of A holds pairs along k in each of its rows; one of B has a pair of k in each row, for 16 columns
#pragma once

#include "backend/cpu/meanwhile.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t step_of_k = 32;
constexpr int tile_rows = 16, tile_bytes = 1024, part_bytes = 2 * tile_bytes;

constexpr std::int64_t steps_in(std::int64_t k) { return (k + step_of_k - 1) / step_of_k; }

/// Sixteen lanes cut into parts, handed one by one to `take(part, halves of x, halves of y)`.
template <int parts, class Take>
[[gnu::always_inline]] inline void cut(typename Lanes::Floats x, typename Lanes::Floats y, const Take& take) {
    for (int part = 0; part < parts; ++part) {
        const auto first = Lanes::rounded(x), second = Lanes::rounded(y);
        take(part, first, second);
        if (part + 1 == parts) break;
        x = Lanes::minus(x, Lanes::widened(first));
        y = Lanes::minus(y, Lanes::widened(second));
    }
}

/// Elements that are bf16 already: one part, as it is.
template <int parts, bool for_a>
std::uint32_t pack_block(const std::uint16_t* from, std::int64_t row_step, std::int64_t step, std::byte* to) {
    const bool along_k = step == 1;
    std::uint32_t outside = 0;
    if (along_k) {
        for (int w = 0; w < tile_rows; ++w) {
            const auto x = Lanes::load_words(from + w * row_step);
            outside |= std::uint32_t{Lanes::halves_outside(x) != 0} << w;
            Lanes::store(to + w * 64, x);
        }
    } else {
        std::uint32_t found = 0;
        for (int q = 0; q < tile_rows; ++q) {
            const auto x = Lanes::interleaved(Lanes::load_halves(from + 2 * q * step), Lanes::load_halves(from + (2 * q + 1) * step));
            found |= Lanes::halves_outside(x);
            Lanes::store(to + q * 64, x);
        }
        for (int w = 0; w < tile_rows; ++w) outside |= std::uint32_t{(found >> 2 * w & 3) != 0} << w;
    }
    if (along_k != for_a) Lanes::transpose(to);
    return outside;
}

/// 16 rows by 32 of k become one tile of each part, `part_bytes` apart. Rows that are contiguous along k give words that
/// are a tile of A's, rows that lie side by side give one of B's; the other is a transposition away. Returns which of
/// the rows leave the window.
template <int parts, bool for_a>
std::uint32_t pack_block(const float* from, std::int64_t row_step, std::int64_t step, std::byte* to) {
    const bool along_k = step == 1;
    std::uint32_t outside = 0;
    if (along_k) {
        for (int w = 0; w < tile_rows; ++w) {
            const auto x = Lanes::load(from + w * row_step), y = Lanes::load(from + w * row_step + tile_rows);
            const auto found = Lanes::bits(Lanes::either(Lanes::outside(x), Lanes::outside(y)));
            outside |= std::uint32_t{found != 0} << w;
            cut<parts>(x, y, [&](int part, auto first, auto second) {
                Lanes::store(to + part * part_bytes + w * 64, Lanes::joined(first, second));
            });
        }
    } else {
        auto found = Lanes::either(0, 0);
        for (int q = 0; q < tile_rows; ++q) {
            const auto x = Lanes::load(from + 2 * q * step), y = Lanes::load(from + (2 * q + 1) * step);
            found = Lanes::either(found, Lanes::either(Lanes::outside(x), Lanes::outside(y)));
            cut<parts>(x, y, [&](int part, auto even, auto odd) {
                Lanes::store(to + part * part_bytes + q * 64, Lanes::interleaved(even, odd));
            });
        }
        outside = Lanes::bits(found);
    }
    if (along_k != for_a)
        for (int part = 0; part < parts; ++part) Lanes::transpose(to + part * part_bytes);
    return outside;
}

/// A block that is cut short, or whose elements lie apart: laid out along k with zeros behind first.
template <int parts, bool for_a, class Element>
std::uint32_t pack_ragged(const Element* from, std::int64_t row_step, std::int64_t step, int rows, int depth, std::byte* to) {
    Element laid[tile_rows][step_of_k] = {};
    for (int w = 0; w < rows; ++w)
        for (int p = 0; p < depth; ++p) laid[w][p] = from[w * row_step + p * step];
    return pack_block<parts, for_a>(&laid[0][0], step_of_k, 1, to);
}

/// What the next panel will be cut from is asked for while this one is, a step of it: its rows lie on pages of their own, which no
/// hardware prefetches.
template <class Element>
void expect_next(const PanelSource& source, const Element* step) {
    constexpr std::int64_t line = 64 / sizeof(Element);
    const bool along_k = source.step == 1;
    const std::int64_t runs = along_k ? unit_side : step_of_k, length = along_k ? step_of_k : unit_side;
    const Element* from = step + unit_side * source.row_step;
    for (std::int64_t run = 0; run < runs; ++run, from += along_k ? source.row_step : source.step)
        for (std::int64_t at = 0; at < length; at += line) __builtin_prefetch(from + at, 0, 2);
}

template <int parts, bool for_a, class Element>
void pack(const PanelSource& source, std::byte* panel) {
    const auto* const from = static_cast<const Element*>(source.data);
    std::byte* const tiles = panel + sizeof(PanelHeader);
    std::uint32_t outside = 0;
    for (std::int64_t p = 0; p < source.k; p += step_of_k) {
        const auto depth = static_cast<int>(source.k - p < step_of_k ? source.k - p : step_of_k);
        expect_next(source, from + p * source.step);
        for (int w = 0; w < source.rows; w += tile_rows) {
            const int rows = source.rows - w < tile_rows ? source.rows - w : tile_rows;
            std::byte* const to = tiles + p / step_of_k * parts * part_bytes + w / tile_rows * tile_bytes;
            const Element* const block = from + w * source.row_step + p * source.step;
            const bool is_whole = rows == tile_rows && depth == step_of_k && (source.step == 1 || source.row_step == 1);
            outside |= (is_whole ? pack_block<parts, for_a>(block, source.row_step, source.step, to)
                                 : pack_ragged<parts, for_a>(block, source.row_step, source.step, rows, depth, to)) << w;
        }
    }
    *reinterpret_cast<PanelHeader*>(panel) = {outside, {}};
}

template <int parts, bool for_a>
void pack_any(const PanelSource& source, std::byte* panel) {
    if (source.is_bf16) return pack<1, for_a, std::uint16_t>(source, panel);
    pack<parts, for_a, float>(source, panel);
}

/// The products of one step but for the last, hi hi of three parts; in an order where neighbours share tiles: x's part by y's,
/// x being the caller's A. Of two parts, what hi hi rounds is little beside what they leave out.
template <int parts, class LoadX, class LoadY>
[[gnu::always_inline]] inline void first_products(const LoadX& load_x, const LoadY& load_y) {
    load_x(0), load_y(parts - 1), Tiles::dot_bf16();           // hi lo
    if constexpr (parts == 3) {
        load_y(1), Tiles::dot_bf16();                          // hi mid
        load_x(1), Tiles::dot_bf16();                          // mid mid
        load_y(0), Tiles::dot_bf16();                          // mid hi
        load_x(2), Tiles::dot_bf16();                          // lo hi
    } else if constexpr (parts == 2) {
        load_y(0), Tiles::dot_bf16();                          // hi hi
        load_x(1), Tiles::dot_bf16();                          // lo hi
    }
}

void meet_row(const UnitResult& r, int i) {
    const auto* const sums = reinterpret_cast<const float*>(r.sums->of) + i * unit_side;
    float* const c = r.c + i * r.c_step;
    const float* const partial = r.partial ? r.partial + i * unit_side : nullptr;
    for (int j = 0; j < r.cols; j += 16)
        Lanes::meet(sums + j, partial ? partial + j : nullptr, c + j, r.cols - j < 16 ? r.cols - j : 16, r.alpha, r.beta);
}

/// The rows of a result that is 32 columns wide.
class Meeting {
public:
    [[gnu::always_inline]] explicit Meeting(const UnitResult* r) {
        if (!r) return;
        sums_ = reinterpret_cast<const float*>(r->sums->of), partial_ = r->partial, c_ = r->c, c_step_ = r->c_step;
        alpha_ = r->alpha, beta_ = r->beta, reads_c_ = r->beta != 0;
    }
    [[gnu::always_inline]] void row(int i) const {
        const auto alpha = Lanes::all(alpha_), beta = Lanes::all(beta_);
        for (int j = 0; j < unit_side; j += 16)
            Lanes::meet_all(sums_ + i * unit_side + j, partial_ ? partial_ + i * unit_side + j : nullptr, c_ + i * c_step_ + j, alpha,
                            beta, reads_c_);
    }

private:
    const float *sums_ = nullptr, *partial_ = nullptr;
    float* c_ = nullptr;
    std::int64_t c_step_ = 0;
    float alpha_ = 1, beta_ = 0;
    bool reads_c_ = false;
};

void meet(const UnitResult& r) {
    for (int i = 0; i < r.rows; ++i) meet_row(r, i);
}

/// Of three parts, all small products of the chunk of k come first and hi hi on top of them: few roundings happen at the size
/// of the result.
template <int parts, bool is_turned>
[[gnu::always_inline]] inline void add_up(const std::byte* a, const std::byte* b, std::int64_t steps, Meanwhile<Meeting> meanwhile) {
    constexpr std::int64_t step_bytes = parts * part_bytes;
    Tiles::zero_sums();
    for (std::int64_t s = 0; s < steps; ++s) {
        meanwhile.step();
        const auto load_a = [from = a + s * step_bytes](int part) { Tiles::load_a(from + part * part_bytes); };
        const auto load_b = [from = b + s * step_bytes](int part) { Tiles::load_b(from + part * part_bytes); };
        is_turned ? first_products<parts>(load_b, load_a) : first_products<parts>(load_a, load_b);
    }
    if constexpr (parts == 3)
        for (std::int64_t s = 0; s < steps; ++s)
            Tiles::load_a(a + s * step_bytes), Tiles::load_b(b + s * step_bytes), Tiles::dot_bf16();
}

template <int parts>
void multiply(const UnitTile& tile) {
    const std::int64_t first = tile.from / step_of_k, steps = steps_in(tile.to) - first;
    const std::byte* const a = tile.a + sizeof(PanelHeader) + first * parts * part_bytes;
    const std::byte* const b = tile.b + sizeof(PanelHeader) + first * parts * part_bytes;
    const Meanwhile<Meeting> meanwhile(tile, steps);
    tile.is_turned ? add_up<parts, true>(a, b, steps, meanwhile) : add_up<parts, false>(a, b, steps, meanwhile);
    Tiles::store_sums(tile.sums->of);
}

template <int parts>
constexpr UnitPanels panels{pack_any<parts, true>, pack_any<parts, false>, multiply<parts>};

constexpr MatrixUnit matrix_unit() { return {Tiles::configure, Tiles::release, {panels<1>, panels<2>, panels<3>}, meet}; }

}  // namespace
}  // namespace tw::cpu
