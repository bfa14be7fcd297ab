// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How two panels of bf16 parts are multiplied, and how their sums are added to C: by the unit's own Tiles and Lanes, or
// by emulated ones.
#pragma once

#include "backend/cpu/unit/bf16_packing.hpp"
#include "backend/cpu/unit/side_work.hpp"

namespace tw::cpu {
namespace {

template <class Tiles, class Lanes>
struct Bf16Panels {
    using Packing = Bf16Packing<Lanes>;

    /// The products of one step but for the last, hi hi of three parts; in an order where neighbours share tiles: x's
    /// part by y's, x being the caller's A. Of two parts, what hi hi rounds is little beside what they leave out. `dot`
    /// makes the first one.
    template <int parts, class LoadX, class LoadY, class Dot>
    [[gnu::always_inline]] static void first_products(const LoadX& load_x, const LoadY& load_y, const Dot& dot) {
        load_x(0), load_y(parts - 1), dot();  // hi lo
        if constexpr (parts == 3) {
            load_y(1), Tiles::dot_bf16();  // hi mid
            load_x(1), Tiles::dot_bf16();  // mid mid
            load_y(0), Tiles::dot_bf16();  // mid hi
            load_x(2), Tiles::dot_bf16();  // lo hi
        } else if constexpr (parts == 2) {
            load_y(0), Tiles::dot_bf16();  // hi hi
            load_x(1), Tiles::dot_bf16();  // lo hi
        }
    }

    /// The rows of a result that is 32 columns wide, or fewer where it says so.
    class ResultLines {
    public:
        static int lines(const UnitResult& r) { return r.rows; }

        [[gnu::always_inline]] explicit ResultLines(const UnitResult* r) {
            if (!r) return;
            sums_ = reinterpret_cast<const float*>(r->sums->of), partial_ = r->partial, c_ = r->c, c_step_ = r->c_step;
            alpha_ = r->alpha, beta_ = r->beta, reads_c_ = r->beta != 0, is_narrow_ = r->c_is_narrow;
        }
        [[gnu::always_inline]] void line(int i, int cols = unit_side) const {
            is_narrow_ ? row_of(reinterpret_cast<std::uint16_t*>(c_), i, cols)
                       : row_of(reinterpret_cast<float*>(c_), i, cols);
        }

    private:
        template <class C>
        [[gnu::always_inline]] void row_of(C* c, int i, int cols) const {
            const auto alpha = Lanes::all(alpha_), beta = Lanes::all(beta_);
            for (int j = 0; j < cols; j += 16) {
                const auto which = static_cast<typename Lanes::Mask>(0xffffu >> (cols - j < 16 ? 16 - (cols - j) : 0));
                const std::int64_t at = i * unit_side + j;
                Lanes::add_to_c(sums_ + at, partial_ ? partial_ + at : nullptr, c + i * c_step_ + j, alpha, beta,
                                reads_c_, which);
            }
        }

        const float *sums_ = nullptr, *partial_ = nullptr;
        std::byte* c_ = nullptr;
        std::int64_t c_step_ = 0;
        float alpha_ = 1, beta_ = 0;
        bool reads_c_ = false, is_narrow_ = false;
    };

    static void add_to_c(const UnitResult& r) {
        if (r.is_held) Tiles::store_sums(r.sums->of);
        const ResultLines result(&r);
        for (int i = 0; i < r.rows; ++i) result.line(i, r.cols);
    }

    static void round(const float* from, std::uint16_t* to, std::int64_t count) {
        const auto one = Lanes::all(1), zero = Lanes::all(0);
        for (; count >= 16; from += 16, to += 16, count -= 16) Lanes::add_to_c(from, nullptr, to, one, zero, false);
        float rest[16] = {};
        for (std::int64_t i = 0; i < count; ++i) rest[i] = from[i];
        Lanes::add_to_c(rest, nullptr, to, one, zero, false, static_cast<typename Lanes::Mask>((1u << count) - 1));
    }

    /// Of three parts, all small products of the chunk of k come first and hi hi on top of them: few roundings happen
    /// at the size of the result. The unit is not to run dry from one tile to the next: sums that it still holds are
    /// stored one tile of them after another between the first products, each of which needs no more than one to be
    /// gone.
    template <int parts, bool is_turned>
    [[gnu::always_inline]] static void add_up(const std::byte* a, const std::byte* b, std::int64_t steps,
                                              UnitSums* held, SideWork<ResultLines> side_work) {
        constexpr std::int64_t step_bytes = parts * part_bytes;
        const auto step = [&](std::int64_t s, const auto& dot) {
            const auto load_a = [from = a + s * step_bytes](int part) {
                Tiles::template load_a<!walks_rows<parts>>(from + part * part_bytes);
            };
            const auto load_b = [from = b + s * step_bytes](int part) {
                Tiles::template load_b<walks_rows<parts>>(from + part * part_bytes);
            };
            is_turned ? first_products<parts>(load_b, load_a, dot) : first_products<parts>(load_a, load_b, dot);
            side_work.step();
        };
        step(0, [held] { held ? Tiles::store_and_dot_bf16(held->of) : (Tiles::zero_sums(), Tiles::dot_bf16()); });
        for (std::int64_t s = 1; s < steps; ++s) step(s, [] { Tiles::dot_bf16(); });
        if constexpr (parts == 3)
            for (std::int64_t s = 0; s < steps; ++s)
                Tiles::template load_a<!walks_rows<parts>>(a + s * step_bytes),
                    Tiles::template load_b<walks_rows<parts>>(b + s * step_bytes), Tiles::dot_bf16();
    }

    template <int parts>
    static void multiply(const UnitTile& tile) {
        const std::int64_t first = tile.from / step_of_k, steps = steps_in(tile.to) - first;
        const std::byte* const a = tile.a + sizeof(PanelHeader) + first * parts * part_bytes;
        const std::byte* const b = tile.b + sizeof(PanelHeader) + first * parts * part_bytes;
        const SideWork<ResultLines> side_work(tile, steps);
        UnitSums* const held = tile.waiting && tile.waiting->is_held ? tile.waiting->sums : nullptr;
        tile.is_turned ? add_up<parts, true>(a, b, steps, held, side_work)
                       : add_up<parts, false>(a, b, steps, held, side_work);
        if (!tile.next.is_held) Tiles::store_sums(tile.next.sums->of);
    }

    template <int parts>
    static constexpr UnitPanels panels{Packing::template pack_any<parts, true>,
                                       Packing::template pack_any<parts, false>, multiply<parts>};

    static constexpr MatrixUnit matrix_unit() {
        return {Tiles::configure, Tiles::release, {panels<1>, panels<2>, panels<3>}, add_to_c, round};
    }
};

}  // namespace
}  // namespace tw::cpu
