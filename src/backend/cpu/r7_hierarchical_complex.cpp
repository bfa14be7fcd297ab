// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical_complex: r7 for complex numbers. Panels hold real and imaginary parts apart, and so do the registers'
// sums until a tile is through: four fused multiply-adds a product, and no shuffle among them.
//
//             KC                  NC: L2
//          +-------+          +--+--+--+--+               +--+--+--+--+
//       MR |aabbaab|  x    KC |cc|  |  |  |     =      MR |##|->|  |  |   ## = MR x NR sums of real parts and as many
//          +-------+          |dd|  |  |  |               +--+--+--+--+       of imaginary ones in registers
//                             +--+--+--+--+
//
// Needs: KC x (2048 + NC) complex numbers a thread, KC half of r7's: pieces of C of 2048 x 2048 pack A once for all
// blocks of columns, since turning its few rows costs as much as 20 columns of products. 8mnk flops; from memory A
// n/2048 times, B m/2048 times, C k/KC times. Gained over r3: r7's blocks, tiles and threads.
#include "backend/cpu/complex_panels.hpp"
#include "backend/cpu/complex_results.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/panels/ahead.hpp"
#include "backend/cpu/product/grid.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

template <class T, const ComplexKernel<T>& micro>
struct Hierarchy {
    static constexpr int halves = 2;            // of a number
    static constexpr std::int64_t kept = 2048;  // rows of A that stay packed, for as many columns

    /// Square pieces of C, so that one stays in L3 from one block of k to the next.
    static void multiply(const Call& call, const Part& part, std::int64_t nc, T* memory) {
        const Product<Complex<T>> x = product_of<Complex<T>>(call);
        const std::int64_t high = std::min(round_up(kept, micro.mr), part.rows),
                           wide = std::max(kept / nc, std::int64_t{1}) * nc;
        for (std::int64_t i = 0; i < part.rows; i += high)
            for (std::int64_t j = 0; j < part.cols; j += wide)
                multiply_piece(call, x,
                               {part.i + i, part.j + j, std::min(high, part.rows - i), std::min(wide, part.cols - j)},
                               nc, memory);
    }

    /// Blocks of k one after the other, and for each of them blocks of columns, over A's panels that the first packs.
    static void multiply_piece(const Call& call, const Product<Complex<T>>& x, const Part& part, std::int64_t nc,
                               T* memory) {
        const std::int64_t k = x.k(), depth = complex_k_block<T>(k);
        T* const a_panels = memory + halves * nc * depth;
        for (std::int64_t p = 0; p < k; p += depth)
            for (std::int64_t j = 0; j < part.cols; j += nc)
                multiply_block(call, x, {part.i, part.j + j, part.rows, std::min(nc, part.cols - j)}, p,
                               std::min(depth, k - p), memory, a_panels, j == 0);
    }

    /// A row of tiles for each panel of A; the first row packs the panels of B as it goes.
    static void multiply_block(const Call& call, const Product<Complex<T>>& x, const Part& part, std::int64_t p,
                               std::int64_t depth, T* b_block, T* a_panel, bool packs_a) {
        const std::int64_t tiles = ceil_div(part.cols, micro.nr), some_cols = 4 * micro.nr;  // that are packed together
        const ReadyComplexPanels<T, micro> ready(call);
        packs_a = packs_a && !ready.is_a;
        for (std::int64_t i = 0; i < part.rows; i += micro.mr, a_panel += halves * micro.mr * depth) {
            const std::int64_t rows = std::min<std::int64_t>(micro.mr, part.rows - i);
            if (packs_a) pack_complex(micro, x.a.block(part.i + i, p, rows, depth), micro.mr, a_panel);
            const T* const a = ready.is_a ? ready.panel(p, part.i + i) : a_panel;
            Ahead<T> ahead = packs_a ? ahead_of(call.a.block(part.i + i, p, part.rows - i, depth), tiles)
                                     : ahead_of_panel(a, depth, tiles);
            T* packed = b_block;
            for (std::int64_t j = 0; j < part.cols;
                 j += micro.nr, packed += halves * micro.nr * depth, ahead.advance()) {
                const std::int64_t cols = std::min<std::int64_t>(micro.nr, part.cols - j);
                if (i == 0 && !ready.is_b && j % some_cols == 0)
                    pack_complex(micro,
                                 x.b.block(p, part.j + j, depth, std::min(some_cols, part.cols - j)).transposed(),
                                 micro.nr, packed);
                const T* const b = ready.is_b ? ready.panel(p, part.j + j) : packed;
                ComplexTile<T> tile{.k = depth,
                                    .a = a,
                                    .b = b,
                                    .c = nullptr,
                                    .c_step = 0,
                                    .alpha = 1,
                                    .beta = 0,
                                    .rows = static_cast<int>(rows),
                                    .cols = static_cast<int>(cols)};
                tile.ahead = ahead.data, tile.ahead_step = ahead.step;
                tile.ahead_rows = ahead.rows, tile.ahead_lines = ahead.lines;
                add_tile(micro, x, tile, x.c.block(part.i + i, part.j + j, rows, cols),
                         p == 0 ? x.beta : Complex<T>(1));
            }
        }
    }

    static Ahead<T> ahead_of(const Matrix& a, std::int64_t tiles) {
        return Ahead<T>(lines_of(a), a.col_step == 1 ? micro.mr : halves * micro.mr, tiles, true);
    }
    static Ahead<T> ahead_of_panel(const T* panel, std::int64_t depth, std::int64_t tiles) {
        const std::int64_t numbers = halves * micro.mr * depth;
        const Matrix two{const_cast<T*>(panel), type_of<T>, 2, numbers, numbers, 1};
        return Ahead<T>(two, 1, tiles, true);
    }

    /// A's memory, to be asked for: rows that are contiguous hold twice as many real numbers.
    static Matrix lines_of(const Matrix& a) {
        const Type type = part_of(a.type);
        if (a.col_step == 1) return {a.data, type, a.rows, halves * a.cols, halves * a.row_step, 1};
        return {a.data, type, halves * a.rows, a.cols, a.row_step == 1 ? 1 : halves, halves * a.col_step};
    }

    /// Room for a block of B and a piece's panels of A.
    static std::size_t worker_bytes(std::int64_t m, std::int64_t n, std::int64_t k, const Tile& blocks) {
        constexpr std::int64_t line = 64;
        const std::int64_t cols = round_up(std::min<std::int64_t>(n, blocks.n), micro.nr);
        const std::int64_t rows = round_up(std::min(m, kept), micro.mr);
        const std::int64_t numbers = (cols + rows) * halves * complex_k_block<T>(k);
        return static_cast<std::size_t>(round_up(numbers * std::int64_t{sizeof(T)}, line));
    }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return static_cast<std::size_t>(threads) * worker_bytes(std::max(p.m, p.n), std::max(p.m, p.n), p.k, blocks);
    }
    static Status run(const Call& given, const Tile& blocks) {
        const Call call = turned_if(is_turned(given), given);
        const std::int64_t m = call.m(), n = call.n();
        const Grid grid(m, n, call.packed.panels && call.packed.on_left ? micro.mr : 1, blocks.n, micro, call.threads);
        const std::size_t room = worker_bytes(m, n, call.k(), blocks);
        share_out(call, grid.parts, [&](int worker, std::int64_t item) {
            std::byte* const own = call.scratch.data() + static_cast<std::size_t>(worker) * room;
            multiply(call, grid.part(item, m, n), block_size(grid.cols, blocks.n, micro.nr), reinterpret_cast<T*>(own));
        });
        return {};
    }
};

/// Through one block, a complex alpha, and C once for each block.
template <class T>
double sum_bound(std::int64_t k) {
    const std::int64_t block = complex_k_block<T>(k);
    return gamma(static_cast<double>(2 * block + ceil_div(k, block) + 3), unit_of<T>);
}

/// r7's for the real product that it is.
template <class T, const ComplexKernel<T>& micro>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n), k = static_cast<double>(p.k);
    const double tiles = static_cast<double>(round_up(p.m, micro.mr)) * static_cast<double>(round_up(p.n, micro.nr));
    const double packed_bytes = 2 * sizeof(T) * (m * k + n * k);
    const double packing = packed_bytes * (packed_bytes > (1 << 22) ? 0.1 : 0.05);
    const int workers = workers_for(p.m, p.n, p.k, threads);
    return 400 + 1000 * (workers > 1) + (4 * tiles * k / micro.rate + packing) / workers;
}

/// {any rows, NC, KC}: what half of L2 holds, as for r7.
template <class T, int NC>
constexpr Tile tiles[] = {
    {0, NC, KC<T> / 2}, {0, NC / 2, KC<T> / 2}, {0, NC / 2 * 3, KC<T> / 2}, {0, NC * 2, KC<T> / 2}};

template <class T, const ComplexKernel<T>& micro, int NC>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::hierarchical,
            .in = type_of<Complex<T>>,
            .out = type_of<Complex<T>>,
            .sum = type_of<Complex<T>>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles<T, NC>,
            .idea = "real and imaginary parts in panels and registers of their own",
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds<T, micro>,
            .scratch_bytes = Hierarchy<T, micro>::scratch_bytes,
            .run = Hierarchy<T, micro>::run,
            .order = order,
            .packing = &ComplexPanels<T, micro>::packing};
}

}  // namespace

constinit const Kernel r7_hierarchical_complex_portable_c64 =
    row<float, complex_portable_f32, 192>("cpu.r7_hierarchical_complex.c64.portable", 0, order_in_blocks);
constinit const Kernel r7_hierarchical_complex_portable_c128 =
    row<double, complex_portable_f64, 192>("cpu.r7_hierarchical_complex.c128.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r7_hierarchical_complex_avx2_c64 =
    row<float, complex_avx2_f32, 192>("cpu.r7_hierarchical_complex.c64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_complex_avx2_c128 = row<double, complex_avx2_f64, 192>(
    "cpu.r7_hierarchical_complex.c128.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_complex_avx512_c64 = row<float, complex_avx512_f32, 512>(
    "cpu.r7_hierarchical_complex.c64.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_complex_avx512_c128 = row<double, complex_avx512_f64, 512>(
    "cpu.r7_hierarchical_complex.c128.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r7_hierarchical_complex_neon_c64 =
    row<float, complex_neon_f32, 192>("cpu.r7_hierarchical_complex.c64.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r7_hierarchical_complex_neon_c128 = row<double, complex_neon_f64, 192>(
    "cpu.r7_hierarchical_complex.c128.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
