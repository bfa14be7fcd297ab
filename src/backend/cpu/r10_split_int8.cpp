// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split_int8: the other way to split. Each row's block of k is scaled to whole numbers of 24 bits, cut into three
// digits of base 256, and the digits' products are summed exactly: eight of them, or the six of the greatest weights.
//
//            d0' d1' d2'   of B
//       d0 |  1   2   3         products of one weight share their sums: 1, 2 + 2, 3 + 3 + 3, and with eight of
//       d1 |  2   3   4         them 4 + 4. Whole numbers know no order: portable C++, AVX2, AVX-512 and AMX give
//       d2 |  3   4   .         the same bits.
//   of A
// Needs: 3 bytes an element. Rows whose bulk lies far below their largest element, or that have an Inf or a NaN, are
// found while they are packed and go by FMA. Gained over r7: on AMX int8 products are twice as many as bf16 ones;
// elsewhere nothing but the bits.
#include <algorithm>

#include "backend/cpu/digits/digits.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/unit/guarded_tile.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr int order_of_eight = 21, order_of_six = 22;

std::int64_t digits_k_block(std::int64_t k) { return std::min(round_up(k, 64), digits_block); }

template <const DigitUnit& unit, int products>
struct ByDigits {
    static constexpr const auto& by = products == 8 ? unit.eight : unit.six;
    static constexpr const UnitPanels& panels = by.panels;

    static std::size_t panel_bytes(int width, std::int64_t k) {
        return sizeof(DigitHeader) + static_cast<std::size_t>(3 * width * round_up(k, 64));
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t room) {
        panels.pack_a(panel_source(rows, room), panel);
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t room) {
        panels.pack_b(panel_source(cols.transposed(), room), panel);
    }
    static void multiply(const PanelTile& tile) { multiply_guarded(by.add_to_c, panels.multiply, tile); }
    static void finish_waiting(TileState& state) { finish_waiting_guarded(by.add_to_c, state); }
    static PanelKernel kernel() {
        PanelKernel made{unit.rows, unit.columns, digits_k_block, panel_bytes, pack_a,
                         pack_b,    multiply,     unit.begin,     unit.end,    finish_waiting};
        made.walks_rows = unit.walks_rows;
        return made;
    }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return hierarchy_scratch_bytes(kernel(), p, blocks, threads);
    }
    static Status run(const Call& call, const Tile& blocks) { return run_hierarchy(kernel(), call, blocks); }
};

/// What putting the sums of a block together rounds before its last addition weighs a 256th: twice 2^-24 of it, where
/// |A||B| is at least three 2048ths of k products of first digits.
constexpr double lesser_roundings = 0x1p-20;

/// A block's sum is rounded once, scaled by alpha, and added to C. Marked elements are summed by FMA in chunks, and
/// lose nothing by splitting.
double sum_bound_of(const Scheme& scheme, std::int64_t k) {
    const std::int64_t block = std::min(k, digits_k_block(k));
    const auto outside = static_cast<double>(ceil_div(k, block) + 1);
    const auto by_fma = guarded_roundings(k, block) + outside;
    return std::max(gamma(1 + outside, unit_f32) + lesser_roundings, gamma(by_fma, unit_f32) - scheme.split_loss);
}

/// `rate` pairs of digits a nanosecond, and 0.4 ns for cutting an element. AMX's rates are set below the measured 1200
/// on purpose: rows with many zeros or a few large elements are recomputed by FMA, so bf16 parts shall win where both
/// would do.
template <int products, int rate>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(round_up(p.m, unit_side)), n = static_cast<double>(round_up(p.n, unit_side));
    const auto k = static_cast<double>(round_up(p.k, 64));
    const int workers = workers_for(p.m, p.n, p.k, threads);
    return 2000 + 1000 * (workers > 1) + (m * n * k * products / rate + 0.4 * (m + n) * k) / workers;
}

/// Down columns of C, and along its rows.
constexpr Tile down[] = {{256, 4096, 512}, {512, 4096, 512}, {128, 4096, 512}};
constexpr Tile along[] = {{4096, 512, 512}, {4096, 256, 512}, {4096, 128, 512}};

template <const DigitUnit& unit, int products, int rate>
constexpr Kernel row(const char* name, Features needs, std::span<const Tile> tiles = down) {
    return {
        .name = name,
        .rung = Rung::split,
        .in = Type::f32,
        .out = Type::f32,
        .sum = Type::f32,
        .scheme = products == 8 ? &int8x8 : &int8x6,
        .needs = needs,
        .tiles = tiles,
        .fuses_epilogue = true,
        .idea =
            products == 8
                ? "f32 rows scaled to whole numbers of three int8 digits: eight exact products, the same bits "
                  "everywhere"
                : "f32 rows scaled to whole numbers of three int8 digits: the six greatest products, exactly summed",
        .sum_bound = products == 8 ? [](std::int64_t k) { return sum_bound_of(int8x8, k); }
                                   : [](std::int64_t k) { return sum_bound_of(int8x6, k); },
        .nanoseconds = nanoseconds<products, rate>,
        .scratch_bytes = ByDigits<unit, products>::scratch_bytes,
        .run = ByDigits<unit, products>::run,
        .order = products == 8 ? order_of_eight : order_of_six};
}

}  // namespace

#if defined(__x86_64__)
/// What the compiler may use in such files.
constexpr Features vnni = cpu_feature::avx512 | cpu_feature::avx512_vnni | cpu_feature::avx512_vbmi;

constinit const Kernel r10_split_amx_int8x8 =
    row<digits_amx, 8, 900>("cpu.r10_split_int8.f32.int8x8.amx", cpu_feature::amx_int8, along);
constinit const Kernel r10_split_amx_int8x6 =
    row<digits_amx, 6, 600>("cpu.r10_split_int8.f32.int8x6.amx", cpu_feature::amx_int8, along);
constinit const Kernel r10_split_vnni_int8x8 = row<digits_vnni, 8, 250>("cpu.r10_split_int8.f32.int8x8.avx512", vnni);
constinit const Kernel r10_split_vnni_int8x6 = row<digits_vnni, 6, 250>("cpu.r10_split_int8.f32.int8x6.avx512", vnni);
constinit const Kernel r10_split_avx2_int8x8 =
    row<digits_avx2, 8, 60>("cpu-check.r10_split_int8.f32.int8x8.avx2", cpu_feature::avx2);
constinit const Kernel r10_split_avx2_int8x6 =
    row<digits_avx2, 6, 60>("cpu-check.r10_split_int8.f32.int8x6.avx2", cpu_feature::avx2);
#endif
constinit const Kernel r10_split_portable_int8x8 =
    row<digits_portable, 8, 4>("cpu-check.r10_split_int8.f32.int8x8.portable", 0);
constinit const Kernel r10_split_portable_int8x6 =
    row<digits_portable, 6, 4>("cpu-check.r10_split_int8.f32.int8x6.portable", 0);
constinit const Kernel r10_split_emulated_int8x8 =
    row<digits_emulated, 8, 4>("cpu-check.r10_split_int8.f32.int8x8.tiles", 0, along);
constinit const Kernel r10_split_emulated_int8x6 =
    row<digits_emulated, 6, 4>("cpu-check.r10_split_int8.f32.int8x6.tiles", 0, along);

}  // namespace tw::cpu
