// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r8_matrix_unit and r10_split share: bf16 parts on a unit, by the macro-kernel of packed panels.
#pragma once

#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"
#include "backend/cpu/unit/guarded_tile.hpp"
#include "base/rounding.hpp"

namespace tw::cpu {

/// So much of a block that 32 columns of B take two thirds of L1. For three parts they fill it: adding up the sums of
/// shorter chunks in f32 costs more than is gained.
template <int parts>
constexpr std::int64_t unit_chunk(std::int64_t k_block) noexcept {
    return block_size(k_block, parts == 1 ? 512 : 256, 32);
}

/// The longest path of roundings. A tile's instruction adds 32 of k in two chains, then both, then that to its sum; of
/// three parts the sums of a chunk's small products come first, and weigh 2^-7 of the whole; of two they come in
/// between. Chunks are added to one another, and blocks of k in C. Marked elements are summed by FMA in chunks of their
/// own. What the unit flushes is less than 2^-34 of the least product that the window lets through.
template <int parts>
double unit_sum_bound(std::int64_t k) {
    const std::int64_t block = unit_k_block<parts>(k), chunk = unit_chunk<parts>(block), steps = chunk / 32;
    const auto outside = static_cast<double>(ceil_div(k, block) + 1);
    const auto main = static_cast<double>(ceil_div(std::min<std::int64_t>(k, 32), 2) + 1 +
                                          (parts == 2 ? 3 : 1) * steps + ceil_div(block, chunk) - 1) +
                      outside;
    const auto small = main + static_cast<double>((parts == 3 ? 5 : 0) * steps);
    const auto by_fma = guarded_roundings(k, block) + outside;
    const double by_unit = gamma(main, unit_f32) * 0x1.02p0 + (parts == 1 ? 0 : gamma(small, unit_f32) * 0x1.1p-7);
    // A certificate is the scheme's loss and this: what goes by FMA loses nothing by splitting.
    const double split_loss = parts == 3 ? bf16x6.split_loss : parts == 2 ? bf16x3.split_loss : 0;
    return std::max(by_unit + 0x1p-34, gamma(by_fma, unit_f32) - split_loss);
}

template <const MatrixUnit& unit, int parts>
struct ByParts {
    static constexpr const UnitPanels& panels = unit.bf16[parts - 1];

    static std::size_t panel_bytes(int width, std::int64_t k) {
        return sizeof(PanelHeader) + static_cast<std::size_t>(width * round_up(k, 32) * 2 * parts);
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t room) {
        panels.pack_a(panel_source(rows, room), panel);
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t room) {
        panels.pack_b(panel_source(cols.transposed(), room), panel);
    }
    static void multiply(const PanelTile& tile) { multiply_guarded(unit.add_to_c, panels.multiply, tile); }
    static void finish_waiting(TileState& state) { finish_waiting_guarded(unit.add_to_c, state); }
    static PanelKernel kernel() {
        return {unit_side,
                unit_side,
                unit_k_block<parts>,
                panel_bytes,
                pack_a,
                pack_b,
                multiply,
                unit.begin,
                unit.end,
                finish_waiting,
                unit_chunk<parts>,
                unit_panels_at_once,
                walks_rows<parts>};
    }

    static std::size_t wide_bytes(const Problem& p) {
        return is_met_once(p) ? 0 : static_cast<std::size_t>(round_up(p.m * p.n * 4, 64));
    }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return wide_bytes(p) + hierarchy_scratch_bytes(kernel(), p, blocks, threads);
    }
    /// Sums of other slabs are added in the pass over C.
    static Status run_in_slabs(const Call& call, const Tile& blocks, const SlabSteps* slabs) {
        PanelKernel adding = kernel();
        adding.slabs = slabs;
        return run_hierarchy(adding, call, blocks);
    }
    static std::size_t bytes_in_slabs(const Problem& p, const Tile& blocks, int threads, int nodes) {
        return hierarchy_bytes_in_slabs(kernel(), p, blocks, threads, nodes);
    }
    static Status run(const Call& call, const Tile& blocks) {
        const Problem p{.m = call.m(), .n = call.n(), .k = call.k(), .in = call.a.type, .out = call.c.type};
        return is_met_once(p) ? run_hierarchy(kernel(), call, blocks) : run_wide(call, blocks);
    }

private:
    static bool is_met_once(const Problem& p) { return p.out == Type::f32 || p.k <= unit_k_block<parts>(p.k); }

    /// A narrow C that several blocks of k are added to is summed in f32, in its own order, and rounded once.
    static Status run_wide(const Call& call, const Tile& blocks) {
        const Problem p{.m = call.m(), .n = call.n(), .k = call.k(), .in = call.a.type, .out = call.c.type};
        const bool turned = is_turned(call.c);
        const Matrix narrow = turned ? call.c.transposed() : call.c;
        const Matrix sums{call.scratch.data(), Type::f32, narrow.rows, narrow.cols, narrow.cols};
        Call wide = call;
        wide.c = turned ? sums.transposed() : sums;
        wide.scratch = call.scratch.subspan(wide_bytes(p));
        const auto narrow_c = typed<bfloat16>(narrow);
        const auto wide_c = typed<float>(sums);
        if (call.beta != 0)
            share_out(call, narrow.rows, [&](int, std::int64_t i) {
                for (std::int64_t j = 0; j < narrow.cols; ++j) wide_c(i, j) = widen(narrow_c(i, j));
            });
        if (const Status bad = run_hierarchy(kernel(), wide, blocks); !bad) return bad;
        share_out(call, narrow.rows, [&](int, std::int64_t i) {
            if (narrow.col_step == 1) return unit.round(&wide_c(i, 0), &narrow_c(i, 0).bits, narrow.cols);
            for (std::int64_t j = 0; j < narrow.cols; ++j) narrow_c(i, j) = to_bfloat16(wide_c(i, j));
        });
        return {};
    }
};

/// How many of the threads have a panel of each side to multiply at a time.
inline double busy_workers(std::int64_t m, std::int64_t n, int workers) noexcept {
    const auto tiles = ceil_div(m, unit_side) * ceil_div(n, unit_side);
    return static_cast<double>(tiles) / static_cast<double>(ceil_div(tiles, workers));
}

/// `rate` products a nanosecond on whole tiles, and 0.15 ns an element and part for cutting and packing. Parts of many
/// threads take longer, as panels come from other cores' caches, but for few lines, whose threads pack their own.
template <int parts, int rate>
double unit_nanoseconds(const Problem& p, int threads) {
    constexpr std::int64_t few_lines = 64, times_as_many = 4;  // as run_hierarchy()'s OwnParts
    constexpr double slower = parts == 3 ? 0.55 : parts == 2 ? 0.7 : 0.5;
    const auto m = static_cast<double>(round_up(p.m, unit_side)), n = static_cast<double>(round_up(p.n, unit_side));
    const auto k = static_cast<double>(round_up(p.k, 32));
    const int workers = workers_for(p.m, p.n, p.k, threads);
    const std::int64_t lines = std::min(p.m, p.n);
    const bool waits_less =
        parts == 1 && lines <= few_lines && times_as_many * lines * workers <= std::max(p.m, p.n) + unit_side;
    const double shared = waits_less ? 1 : 1 + slower * share_of_many(workers),
                 waiting = parts > 1 ? waiting_for_panels(p.k, workers) : 0;
    return 1000 + 1000 * (workers > 1) + waiting +
           shared * (m * n * k / rate + 0.15 * parts * (m + n) * k) / busy_workers(p.m, p.n, workers);
}

}  // namespace tw::cpu
