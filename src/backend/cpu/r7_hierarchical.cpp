// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: a block for each level of memory. Blocks of A and B are packed into panels in the order of reading,
// and r6's register tile runs over panels that lie where its loads are cheapest. Threads have a part of C each,
// with which others may help (panels/helped_parts.hpp), or pack panels of a large product for one another
// (panels/shared_panels.cpp).
//
//             KC              NC: L2
//          +------+            +--+--+--+--+               +--+--+--+--+
//       MR |aaaaaa|  x      KC |NR|  |  |  |     =      MR |##|->|  |  |   ## = MR x NR sums in registers
//          +------+            |  |  |  |  |               +--+--+--+--+
//        L1                    +--+--+--+--+                 row of tiles: B's panels stream past one of A
//
// Needs: KC x (MC + NC) elements a thread. 2mnk flops; from memory A once, B once for each MC rows of C, C k/KC times.
// What packing costs hides behind the tiles: B's panels are packed between those of the first row, and A's, packed with
// the first block of B and kept for the others, are asked for a row ahead. Gained over r6: no load waits for a page or
// fights for a cache set, whatever the steps are, and all cores join in.
#include "backend/cpu/hierarchy_cost.hpp"
#include "backend/cpu/in_slabs.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/own_blocks.hpp"
#include "backend/cpu/panels/helped_parts.hpp"
#include "backend/cpu/panels/shared_panels.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t most_waiting = 2048;  // rows of A whose panels wait while blocks of columns come

template <class T, const MicroKernel<T>& micro>
struct Hierarchy {
    using Shared = SharedOwnPanels<T, micro>;

    /// Some rows of C at a time, by one block of k after the other. A's panels are packed with the first block of
    /// columns and wait for the others, which pack theirs of B.
    static void multiply(const Call& call, const SlabSteps* slabs, bool turned, const Part& part, std::int64_t nc,
                         T* b_block) {
        const OwnBlocks<T, micro> blocks(call, slabs, turned);
        const std::int64_t k = call.k(), depth = k_block<T>(k), right = part.j + part.cols, below = part.i + part.rows;
        const std::int64_t high = block_size(part.rows, most_waiting, micro.mr),
                           at_once = PanelsOfA<T, micro>::rows_at_once(call.a);
        for (std::int64_t i = part.i; i < below; i += high)
            for (std::int64_t p = 0; p < k; p += depth)
                for (std::int64_t j = part.j; j < right; j += nc)
                    blocks.multiply_block({i, j, std::min(high, below - i), std::min(nc, right - j)}, p, b_block,
                                          {b_block + nc * depth, j == part.j, part.cols > nc, at_once});
    }

    /// A part for each thread, of one block of columns, with whose rows others help.
    static void multiply_helped(const Call& call, bool turned, const Grid& grid, std::int64_t nc, std::size_t room) {
        const OwnBlocks<T, micro> blocks(call, nullptr, turned);
        const std::int64_t depth = k_block<T>(call.k()), at_once = PanelsOfA<T, micro>::rows_at_once(call.a);
        const auto memory_of = [&](int worker) {
            return reinterpret_cast<T*>(call.scratch.data() + static_cast<std::size_t>(worker) * room);
        };
        const auto rows_of = [&](int part) { return grid.part(part, call.m(), call.n()).rows; };
        const auto pieces_of = [&](int part) { return ceil_div(rows_of(part), rows_of_piece(rows_of(part))); };
        HelpedParts parts;
        share_out(call, grid.parts, [&](int worker, std::int64_t) {
            const auto multiply = [&](int number, std::int64_t block, std::int64_t piece) {
                const Part part = grid.part(number, call.m(), call.n());
                const std::int64_t high = rows_of_piece(part.rows), i = piece * high,
                                   rows = std::min(high, part.rows - i);
                blocks.multiply_block({part.i + i, part.j, rows, part.cols}, block * depth, memory_of(number),
                                      {memory_of(worker) + nc * depth, true, false, std::min(at_once, high)},
                                      piece == 0, part.rows - i - rows);
            };
            parts.work(worker, ceil_div(call.k(), depth), pieces_of, multiply);
            parts.help(worker, static_cast<int>(grid.parts), pieces_of, multiply);
        });
    }
    /// Some panels: few enough that nobody waits long for a helper's last one.
    static std::int64_t rows_of_piece(std::int64_t rows) {
        constexpr std::int64_t pieces = 8;
        return round_up(ceil_div(rows, pieces), micro.mr);
    }

    /// Room for a block of B and a panel of A, or few, or all that wait. `side`: the longer of C's.
    static std::size_t worker_bytes(std::int64_t side, std::int64_t k, const Tile& blocks) {
        constexpr std::int64_t line = 64;
        const std::int64_t nc = columns_at_once<T>(blocks.n, k, micro.nr);
        const std::int64_t waiting = side > nc ? round_up(std::min(side, most_waiting), micro.mr) : 0;
        // Of few rows all panels are of one height, up to MR: so many more lines than rows.
        const std::int64_t of_a = std::max(round_up(few, micro.mr), waiting);
        const std::int64_t lines = round_up(std::min(side, nc), micro.nr) + of_a;
        return static_cast<std::size_t>(round_up(lines * k_block<T>(k) * std::int64_t{sizeof(T)}, line));
    }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        const int workers = workers_for(p.m, p.n, p.k, threads);
        const std::size_t apart = static_cast<std::size_t>(workers) * worker_bytes(std::max(p.m, p.n), p.k, blocks);
        if (!shares_panels(p.m, p.n, p.k, workers)) return apart;
        return std::max(apart, shared_panels_bytes(Shared::kernel(), p, Shared::blocks(blocks), workers));
    }
    static Status run(const Call& call, const Tile& blocks) { return run_in_slabs(call, blocks, nullptr); }

    static Status run_in_slabs(const Call& given, const Tile& blocks, const SlabSteps* slabs) {
        const bool turned = is_turned(given);
        Call call = turned_if(turned, given);
        call.threads = workers_for(given.m(), given.n(), given.k(), given.threads);
        const std::int64_t m = call.m(), n = call.n(), nc = columns_at_once<T>(blocks.n, call.k(), micro.nr);
        const Grid grid(m, n, call.packed.panels && call.packed.on_left ? micro.mr : 1, nc, micro, call.threads);
        const std::size_t room = worker_bytes(std::max(m, n), call.k(), blocks);
        const bool shares = shares_panels(m, n, call.k(), call.threads);
        if (!call.packed.panels && !slabs && !call.executor && are_helped(micro, grid, nc, call.k(), shares)) {
            multiply_helped(call, turned, grid, block_size(grid.cols, nc, micro.nr), room);
            return {};
        }
        if (shares && !call.packed.panels) return Shared::run(given, call.threads, blocks, slabs);
        share_out(call, grid.parts, [&](int worker, std::int64_t item) {
            std::byte* const own = call.scratch.data() + static_cast<std::size_t>(worker) * room;
            multiply(call, slabs, turned, grid.part(item, m, n), block_size(grid.cols, nc, micro.nr),
                     reinterpret_cast<T*>(own));
        });
        return {};
    }
    static constexpr InSlabs in_slabs{run_in_slabs, true, Shared::bytes_in_slabs};
};

/// {any rows, NC, KC}: KC x NC fills about half of an L2 of 512 KiB (AVX2) or 2 MiB (AVX-512); KC is not for
/// tuning.
template <class T, int NC>
constexpr Tile tiles[] = {{0, NC, KC<T>}, {0, NC / 2, KC<T>}, {0, NC / 2 * 3, KC<T>}, {0, NC * 2, KC<T>}};

template <class T, const MicroKernel<T>& micro, int NC>
constexpr Kernel row(const char* name, Features needs, int order,
                     double (*cost)(const Problem&, int) = hierarchy_nanoseconds<T, micro>) {
    return {.name = name,
            .rung = Rung::hierarchical,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles<T, NC>,
            .fuses_epilogue = true,
            .widens = sizeof(T) == sizeof(float),
            .idea = "packed panels, a block for each cache, and every thread",
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = cost,
            .scratch_bytes = Hierarchy<T, micro>::scratch_bytes,
            .run = Hierarchy<T, micro>::run,
            .order = order,
            .packing = &OwnPanels<T, micro>::packing};
}

template <class T, const MicroKernel<T>&... micro>
void look_for(const Kernel& kernel, InSlabs& found) noexcept {
    ((found = kernel.run == Hierarchy<T, micro>::run ? Hierarchy<T, micro>::in_slabs : found), ...);
}

}  // namespace

constinit const Kernel r7_hierarchical_portable_f32 =
    row<float, micro_portable_f32, 192>("cpu.r7_hierarchical.f32.portable", 0, order_in_blocks);
constinit const Kernel r7_hierarchical_portable_f64 =
    row<double, micro_portable_f64, 192>("cpu.r7_hierarchical.f64.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r7_hierarchical_avx2_f32 =
    row<float, micro_avx2_f32, 192>("cpu.r7_hierarchical.f32.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx2_f64 =
    row<double, micro_avx2_f64, 192>("cpu.r7_hierarchical.f64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx512_f32 = row<float, micro_avx512_f32, columns_of_long_vectors>(
    "cpu.r7_hierarchical.f32.avx512", cpu_feature::avx512, order_fused_in_blocks,
    nanoseconds_of_form<float, micro_avx512_f32, true>);
constinit const Kernel r7_hierarchical_avx512_f64 = row<double, micro_avx512_f64, columns_of_long_vectors>(
    "cpu.r7_hierarchical.f64.avx512", cpu_feature::avx512, order_fused_in_blocks,
    nanoseconds_of_form<double, micro_avx512_f64, true>);
constinit const Kernel r7_hierarchical_avx512_apart_f32 = row<float, micro_avx512_apart_f32, columns_of_long_vectors>(
    "cpu.r7_hierarchical.f32.avx512_apart", cpu_feature::avx512, order_fused_in_blocks,
    nanoseconds_of_form<float, micro_avx512_apart_f32, false>);
constinit const Kernel r7_hierarchical_avx512_apart_f64 = row<double, micro_avx512_apart_f64, columns_of_long_vectors>(
    "cpu.r7_hierarchical.f64.avx512_apart", cpu_feature::avx512, order_fused_in_blocks,
    nanoseconds_of_form<double, micro_avx512_apart_f64, false>);
#elif defined(__aarch64__)
constinit const Kernel r7_hierarchical_neon_f32 =
    row<float, micro_neon_f32, 192>("cpu.r7_hierarchical.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_neon_f64 =
    row<double, micro_neon_f64, 192>("cpu.r7_hierarchical.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

InSlabs hierarchical_in_slabs(const Kernel& kernel) noexcept {
    InSlabs found;
    look_for<float, micro_portable_f32>(kernel, found);
    look_for<double, micro_portable_f64>(kernel, found);
#if defined(__x86_64__)
    look_for<float, micro_avx2_f32, micro_avx512_f32, micro_avx512_apart_f32>(kernel, found);
    look_for<double, micro_avx2_f64, micro_avx512_f64, micro_avx512_apart_f64>(kernel, found);
#elif defined(__aarch64__)
    look_for<float, micro_neon_f32>(kernel, found);
    look_for<double, micro_neon_f64>(kernel, found);
#endif
    return found;
}

}  // namespace tw::cpu
