// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical: a block for each level of memory. Blocks of A and B are packed into panels in the order of reading,
// and r6's register tile runs over panels that lie where its loads are cheapest; every thread takes blocks of C of its
// own.
//
//             KC              NC: L2
//          +------+            +--+--+--+--+               +--+--+--+--+
//       MR |aaaaaa|  x      KC |NR|  |  |  |     =      MR |##|->|  |  |   ## = MR x NR sums in registers
//          +------+            |  |  |  |  |               +--+--+--+--+
//        L1                    +--+--+--+--+                 row of tiles: B's panels stream past one of A
//
// Needs: KC x (MR + NC) elements a thread. 2mnk flops; from memory A n/NC times, B once for each part of C, C k/KC
// times. What packing costs hides behind the tiles: B's panels are packed between those of the first row, A's are asked
// for a row ahead. Gained over r6: no load waits for a page or fights for a cache set, whatever the steps are, and all
// cores join in.
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro/pack.hpp"
#include "backend/cpu/micro/tile_of_c.hpp"
#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

/// A part of C that belongs to one worker.
struct Part {
    std::int64_t i, j, rows, cols;
};

/// How C is shared out: one part for each thread, cut so that the least is packed. A worker packs its columns of B, and
/// its rows of A once for each block of columns.
struct Grid {
    std::int64_t rows, cols, across, parts;

    /// `row_unit`: packed panels of A are not cut.
    Grid(std::int64_t m, std::int64_t n, std::int64_t row_unit, std::int64_t nc, const auto& micro, int threads)
        : rows(round_up(m, row_unit)), cols(round_up(n, micro.nr)) {
        constexpr std::int64_t turning =
            3;  // packing an element of A transposes it: three times the cost of copying one of B
        std::int64_t least = INT64_MAX;
        for (std::int64_t down = 1; down <= threads && threads > 1; ++down) {
            const std::int64_t high = round_up(ceil_div(m, down), row_unit),
                               wide = round_up(ceil_div(n, threads / down), micro.nr);
            const std::int64_t packed = turning * high * ceil_div(wide, nc) + wide;
            const std::int64_t cost = high * wide + packed * micro.mr / 2;
            if (cost < least) least = cost, rows = high, cols = wide;
        }
        across = ceil_div(n, cols);
        parts = ceil_div(m, rows) * across;
    }
    Part part(std::int64_t item, std::int64_t m, std::int64_t n) const {
        const std::int64_t i = item / across * rows, j = item % across * cols;
        return {i, j, std::min(rows, m - i), std::min(cols, n - j)};
    }
};

template <class T, const MicroKernel<T>& micro>
struct Hierarchy {
    /// Blocks of k one after the other over one block of columns after the other.
    static void multiply(const Call& call, bool turned, const Part& part, std::int64_t nc, T* b_block) {
        const Product<T> x = product_of<T>(call);
        const Finisher finisher(call, turned);
        const std::int64_t k = x.k(), depth = k_block<T>(k), right = part.j + part.cols;
        for (std::int64_t j = part.j; j < right; j += nc)
            for (std::int64_t p = 0; p < k; p += depth)
                multiply_block(call, x, finisher, {part.i, j, part.rows, std::min(nc, right - j)}, p,
                               std::min(depth, k - p), b_block, b_block + nc * depth);
    }

    /// A row of tiles for each panel of A, which is packed for it, while the next is on its way. The first row packs
    /// the panels of B as it goes.
    static void multiply_block(const Call& call, const Product<T>& x, const Finisher& finisher, const Part& part,
                               std::int64_t p, std::int64_t depth, T* b_block, T* a_panel) {
        const bool ends = p + depth == x.k();
        const T beta = p == 0 ? x.beta : T(1);
        const bool packed_a = call.packed.panels && call.packed.on_left, packed_b = call.packed.panels && !packed_a;
        const PackedOperand whole(panels(), packed_a ? x.m() : x.n(), x.k(), packed_a);
        const auto packed = [&](std::int64_t line) {
            return reinterpret_cast<const T*>(call.packed.panels + whole.offset(p, line));
        };
        const std::int64_t some_cols =
            4 * micro.nr;  // that are packed together: each row of them may lie on a page of its own
        const std::int64_t tiles = ceil_div(part.cols, micro.nr);

        for (std::int64_t i = 0; i < part.rows; i += micro.mr) {
            const std::int64_t rows = std::min<std::int64_t>(micro.mr, part.rows - i);
            const View<const T> a = x.a.block(part.i + i, p, rows, depth);
            const T* const from = packed_a ? packed(part.i + i) : a_panel;
            if (!packed_a) pack_panels(micro, a, micro.mr, a_panel);
            Ahead ahead(x.a.block(part.i + i, p, part.rows - i, depth), tiles, !packed_a);
            T* panel = b_block;
            for (std::int64_t j = 0; j < part.cols; j += micro.nr, panel += micro.nr * depth, ahead.advance()) {
                const std::int64_t cols = std::min<std::int64_t>(micro.nr, part.cols - j);
                if (i == 0 && !packed_b && j % some_cols == 0)
                    pack_panels(micro, x.b.block(p, part.j + j, depth, std::min(some_cols, part.cols - j)).transposed(),
                                micro.nr, panel);
                const View<T> c = x.c.block(part.i + i, part.j + j, rows, cols);
                if (ends) finisher.expect(rows, cols, part.i + i, part.j + j);
                run_tile(micro,
                         {.k = depth,
                          .a = from,
                          .a_row_step = 1,
                          .a_step = micro.mr,
                          .b = packed_b ? packed(part.j + j) : panel,
                          .b_step = micro.nr,
                          .c = nullptr,
                          .c_step = 0,
                          .alpha = x.alpha,
                          .beta = beta,
                          .rows = 0,
                          .cols = 0,
                          .ahead = ahead.data,
                          .ahead_step = ahead.step,
                          .ahead_rows = ahead.rows,
                          .ahead_lines = ahead.lines},
                         c);
                if (ends) finisher(erase(c), part.i + i, part.j + j);
            }
        }
    }

    /// The panel of A behind this one, of which each tile asks for its share: so many lines of each row that is
    /// contiguous.
    struct Ahead {
        const T* data = nullptr;
        std::int64_t step = 0, rows = 0, lines = 0;
        std::int64_t share = 0;  // from one tile to the next

        Ahead(const View<const T>& rows_left, std::int64_t tiles, bool wanted) {
            if (!wanted || rows_left.rows <= micro.mr) return;
            constexpr std::int64_t line = 64 / std::int64_t{sizeof(T)};
            const View<const T> next = rows_left.block(
                micro.mr, 0, std::min<std::int64_t>(micro.mr, rows_left.rows - micro.mr), rows_left.cols);
            data = next.data;
            if (next.col_step == 1) {
                step = next.row_step, rows = next.rows, lines = ceil_div(ceil_div(next.cols, line), tiles),
                share = lines * line;
            } else if (next.row_step == 1) {
                step = next.col_step, rows = ceil_div(next.cols, tiles), lines = ceil_div(next.rows, line),
                share = rows * step;
            }
        }
        void advance() { data += share; }
    };

    /// Room for a block of B and a panel of A.
    static std::size_t worker_bytes(std::int64_t n, std::int64_t k, const Tile& blocks) {
        constexpr std::int64_t line = 64;
        const std::int64_t lines = round_up(std::min<std::int64_t>(n, blocks.n), micro.nr) + micro.mr;
        return static_cast<std::size_t>(round_up(lines * k_block<T>(k) * std::int64_t{sizeof(T)}, line));
    }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return static_cast<std::size_t>(threads) * worker_bytes(std::max(p.m, p.n), p.k, blocks);
    }
    static Status run(const Call& given, const Tile& blocks) {
        const bool turned = is_turned(given);
        const Call call = turned_if(turned, given);
        const std::int64_t m = call.m(), n = call.n();
        const Grid grid(m, n, call.packed.panels && call.packed.on_left ? micro.mr : 1, blocks.n, micro, call.threads);
        const std::size_t room = worker_bytes(n, call.k(), blocks);
        share_out(call, grid.parts, [&](int worker, std::int64_t item) {
            std::byte* const own = call.scratch.data() + static_cast<std::size_t>(worker) * room;
            multiply(call, turned, grid.part(item, m, n), block_size(grid.cols, blocks.n, micro.nr),
                     reinterpret_cast<T*>(own));
        });
        return {};
    }

    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(width * k) * sizeof(T);
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t) {
        pack_panels(micro, typed<const T>(rows), micro.mr, reinterpret_cast<T*>(panel));
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t) {
        pack_panels(micro, typed<const T>(cols.transposed()), micro.nr, reinterpret_cast<T*>(panel));
    }
    static PanelKernel panels() { return {micro.mr, micro.nr, k_block<T>, panel_bytes, pack_a, pack_b, nullptr}; }

    static std::size_t packed_bytes(std::int64_t width, std::int64_t k, bool on_left) {
        return hierarchy_packed_bytes(panels(), width, k, on_left);
    }
    static void pack(const Matrix& operand, bool on_left, const Call& threads, std::byte* to) {
        pack_hierarchy(panels(), operand, on_left, threads, to);
    }
    static constexpr Packing packing{packed_bytes, pack};
};

/// The kernel's rate on whole tiles, and what packing takes, longer for operands that come from far away.
template <class T, const MicroKernel<T>& micro>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double tiles = static_cast<double>(round_up(p.m, micro.mr)) * static_cast<double>(round_up(p.n, micro.nr));
    const double packed_bytes = sizeof(T) * (m * k + n * k);
    const double packing = packed_bytes * (packed_bytes > (1 << 22) ? 0.1 : 0.05);
    return 400 + 1000 * (threads > 1) + (tiles * k / micro.rate + packing) / threads;
}

/// {any rows, NC, KC}: KC x NC fills about half of an L2 of 512 KiB (AVX2) or 2 MiB (AVX-512); KC is not for
/// tuning.
template <class T, int NC>
constexpr Tile tiles[] = {{0, NC, KC<T>}, {0, NC / 2, KC<T>}, {0, NC / 2 * 3, KC<T>}, {0, NC * 2, KC<T>}};

template <class T, const MicroKernel<T>& micro, int NC>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::hierarchical,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles<T, NC>,
            .fuses_epilogue = true,
            .idea = "packed panels, a block for each cache, and every thread",
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = nanoseconds<T, micro>,
            .scratch_bytes = Hierarchy<T, micro>::scratch_bytes,
            .run = Hierarchy<T, micro>::run,
            .order = order,
            .packing = &Hierarchy<T, micro>::packing};
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
constinit const Kernel r7_hierarchical_avx512_f32 =
    row<float, micro_avx512_f32, 512>("cpu.r7_hierarchical.f32.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_avx512_f64 =
    row<double, micro_avx512_f64, 512>("cpu.r7_hierarchical.f64.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r7_hierarchical_neon_f32 =
    row<float, micro_neon_f32, 192>("cpu.r7_hierarchical.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_neon_f64 =
    row<double, micro_neon_f64, 192>("cpu.r7_hierarchical.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
