// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// int8 digits: the portable unit, whose panels or sums are spoiled on their way. A wrong unit is that one with one step
// replaced; what a panel holds is drawn in backend/cpu/digits/digit_panels.hpp.
#include <algorithm>
#include <cstdlib>

#include "backend/cpu/digits/digits.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/unit/guarded_tile.hpp"
#include "promises/mutants/wrong_kernels.hpp"

namespace tw::mutants {
namespace {

using namespace tw::cpu;

constexpr std::int64_t step = 64, tile_side = 16, tile_bytes = 1024;

std::int64_t steps_of(std::int64_t k) { return ceil_div(k, step); }

/// A panel of rows of A, or of columns of B, taken apart.
struct DigitPanel {
    std::byte* panel;
    std::int64_t k;
    bool of_a;

    DigitHeader& header() const { return *reinterpret_cast<DigitHeader*>(panel); }

    /// Digit d, from 0 for the greatest, of row w's element p; from k up to whole steps there are zeros.
    std::int8_t& digit(int d, int w, std::int64_t p) const {
        const std::int64_t at = p % step,
                           byte = at % tile_side * 4 + at / tile_side;  // sixteen words, four quarters in each
        const std::int64_t in_tile =
            of_a ? w % tile_side * step + byte : byte / 4 * step + w % tile_side * 4 + byte % 4;
        const std::int64_t tile = (w / tile_side * steps_of(k) + p / step) * 3 + d;
        return reinterpret_cast<std::int8_t*>(panel + sizeof(DigitHeader))[tile * tile_bytes + in_tile];
    }

    template <class Change>
    void each(const Change& change) const {
        for (int w = 0; w < unit_side; ++w)
            for (std::int64_t p = 0; p < k; ++p) change(w, p);
    }
};

/// A tile's two panels and its sums, of which those of one weight lie behind those of another.
struct Summed {
    DigitPanel a, b;
    std::int32_t* sums;

    std::int32_t& at(int weight, int i, int j) const { return sums[(weight * unit_side + i) * unit_side + j]; }

    /// What the products of digit `da` by digit `db` add up to.
    std::int32_t sum_of(int da, int db, int i, int j) const {
        std::int32_t sum = 0;
        for (std::int64_t p = 0; p < a.k; ++p) sum += a.digit(da, i, p) * b.digit(db, j, p);
        return sum;
    }

    template <class Change>
    void each(const Change& change) const {
        for (int i = 0; i < unit_side; ++i)
            for (int j = 0; j < unit_side; ++j) change(i, j);
    }
};

struct TrueDigits {
    static constexpr const char* name = "the true digits";
    static void packed_a(const DigitPanel&) {}
    static void packed_b(const DigitPanel&) {}
    static void summed(const Summed&) {}
};

template <class D>
struct BySpoiltDigits {
    static constexpr const UnitPanels& panels = digits_portable.eight.panels;

    static std::int64_t k_block(std::int64_t k) { return std::min(round_up(k, step), digits_block); }
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return sizeof(DigitHeader) + static_cast<std::size_t>(3 * width * round_up(k, step));
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t room) {
        panels.pack_a(panel_source(rows, room), panel);
        D::packed_a({panel, rows.cols, true});
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t room) {
        panels.pack_b(panel_source(cols.transposed(), room), panel);
        D::packed_b({panel, cols.rows, false});
    }
    static void sum_up(const UnitTile& tile) {
        panels.multiply(tile);
        D::summed({{const_cast<std::byte*>(tile.a), tile.k, true},
                   {const_cast<std::byte*>(tile.b), tile.k, false},
                   reinterpret_cast<std::int32_t*>(tile.next.sums->of)});
    }
    static void multiply(const PanelTile& tile) { multiply_guarded(digits_portable.eight.add_to_c, sum_up, tile); }
    static void finish_waiting(TileState& state) { finish_waiting_guarded(digits_portable.eight.add_to_c, state); }
    static Status run(const Call& call, const Tile& blocks) {
        const PanelKernel kernel{unit_side, unit_side, k_block, panel_bytes, pack_a,
                                 pack_b,    multiply,  nullptr, nullptr,     finish_waiting};
        return run_hierarchy(kernel, call, blocks);
    }
};

// Packing.
struct DropsTheSecondDigit : TrueDigits {
    static constexpr const char* name = "drops A's second digits";
    static void packed_a(const DigitPanel& x) {
        x.each([&](int w, std::int64_t p) { x.digit(1, w, p) = 0; });
    }
};
struct DropsTheThirdDigit : TrueDigits {
    static constexpr const char* name = "drops B's third digits";
    static void packed_b(const DigitPanel& x) {
        x.each([&](int w, std::int64_t p) { x.digit(2, w, p) = 0; });
    }
};
struct LosesTheSign : TrueDigits {
    static constexpr const char* name = "loses the sign of A's first digits";
    static void packed_a(const DigitPanel& x) {
        x.each([&](int w, std::int64_t p) { x.digit(0, w, p) = static_cast<std::int8_t>(std::abs(x.digit(0, w, p))); });
    }
};
struct ForgetsTheCarry : TrueDigits {
    static constexpr const char* name = "carries nothing where a digit below is negative";
    static void packed_a(const DigitPanel& x) {
        x.each([&](int w, std::int64_t p) {
            if (x.digit(2, w, p) < 0) x.digit(1, w, p) = static_cast<std::int8_t>(x.digit(1, w, p) - 1);
        });
    }
};
struct ExchangesDigits : TrueDigits {
    static constexpr const char* name = "lays B's third digits where the second belong";
    static void packed_b(const DigitPanel& x) {
        x.each([&](int w, std::int64_t p) { std::swap(x.digit(1, w, p), x.digit(2, w, p)); });
    }
};
struct ScaleOfTwice : TrueDigits {
    static constexpr const char* name = "takes a row's scale off by one exponent";
    static void packed_a(const DigitPanel& x) {
        for (float& weight : x.header().weight) weight *= 2;
    }
};
struct ScaleOfTheRowBefore : TrueDigits {
    static constexpr const char* name = "takes the scale of the column before";
    static void packed_b(const DigitPanel& x) {
        auto& weight = x.header().weight;
        std::copy_backward(weight, weight + unit_side - 1, weight + unit_side);
    }
};
struct LeavesWhatLayBehindK : TrueDigits {
    static constexpr const char* name = "has more than zeros behind k in the last step";
    static void behind(const DigitPanel& x) {
        for (int w = 0; w < unit_side; ++w)
            for (std::int64_t p = x.k; p < steps_of(x.k) * step; ++p) x.digit(1, w, p) = 1;
    }
    static void packed_a(const DigitPanel& x) { behind(x); }
    static void packed_b(const DigitPanel& x) { behind(x); }
};
struct TrustsEveryRow : TrueDigits {
    static constexpr const char* name = "takes digits of rows that are marked";
    static void packed_a(const DigitPanel& x) { x.header().panel.outside = 0; }
};

// Sums.
struct WeighsTheSecondTwice : TrueDigits {
    static constexpr const char* name = "gives the second sums twice their weight";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) { x.at(1, i, j) *= 2; });
    }
};
struct DropsTheLastWeight : TrueDigits {
    static constexpr const char* name = "forgets the sums of the least weight";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) { x.at(3, i, j) = 0; });
    }
};
struct OnePairTwice : TrueDigits {
    static constexpr const char* name = "takes one pair of digits twice and its mirror not at all";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) { x.at(1, i, j) = 2 * x.sum_of(0, 1, i, j); });
    }
};
struct Saturates : TrueDigits {
    static constexpr const char* name = "saturates its first sums at 16 bits";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) { x.at(0, i, j) = std::clamp(x.at(0, i, j), -32768, 32767); });
    }
};
struct HoldsAFloatsBits : TrueDigits {
    static constexpr const char* name = "saturates its first sums at 22 bits, where a long block's still grow";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) { x.at(0, i, j) = std::clamp(x.at(0, i, j), -(1 << 22), 1 << 22); });
    }
};
struct SkipsTheLastStep : TrueDigits {
    static constexpr const char* name = "skips the last step of k when there are several";
    static void packed_a(const DigitPanel& x) {
        if (x.k <= step) return;
        x.each([&](int w, std::int64_t p) {
            if (p >= (steps_of(x.k) - 1) * step)
                for (int d = 0; d < 3; ++d) x.digit(d, w, p) = 0;
        });
    }
};
struct SkipsAShortBlock : TrueDigits {
    static constexpr const char* name = "skips a block of k of one element";
    static void summed(const Summed& x) {
        if (x.a.k == 1) std::fill_n(x.sums, 4 * unit_side * unit_side, 0);
    }
};
struct TakesDigitsForUnsigned : TrueDigits {
    static constexpr const char* name = "makes up for nothing where A's digits are taken unsigned";
    static void summed(const Summed& x) {
        for (int j = 0; j < unit_side; ++j) {
            std::int32_t of_b = 0;
            for (std::int64_t p = 0; p < x.b.k; ++p) of_b += x.b.digit(0, j, p);
            for (int i = 0; i < unit_side; ++i) x.at(0, i, j) += 128 * of_b;
        }
    }
};
struct TurnsATile : TrueDigits {
    static constexpr const char* name = "stores the sums of a tile transposed";
    static void summed(const Summed& x) {
        x.each([&](int i, int j) {
            if (i < j) std::swap(x.at(0, i, j), x.at(0, j, i));
        });
    }
};

/// The portable row with another way to run.
template <class D>
const Kernel spoilt = [] {
    Kernel kernel = r10_split_portable_int8x8;
    kernel.name = D::name;
    kernel.run = BySpoiltDigits<D>::run;
    return kernel;
}();

template <class... Ds>
constexpr const Kernel* table_of_digits[] = {&spoilt<Ds>...};

}  // namespace

const Kernel& true_digits() { return spoilt<TrueDigits>; }

Table wrong_in_digits() {
    return table_of_digits<DropsTheSecondDigit, DropsTheThirdDigit, LosesTheSign, ForgetsTheCarry, ExchangesDigits,
                           ScaleOfTwice, ScaleOfTheRowBefore, LeavesWhatLayBehindK, TrustsEveryRow,
                           WeighsTheSecondTwice, DropsTheLastWeight, OnePairTwice, Saturates, HoldsAFloatsBits,
                           SkipsTheLastStep, SkipsAShortBlock, TakesDigitsForUnsigned, TurnsATile>;
}

}  // namespace tw::mutants
