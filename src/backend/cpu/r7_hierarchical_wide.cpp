// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7_hierarchical_wide: r7 on f32 operands with sums in f64, for accuracies that a plain f32 sum of that length does
// not keep. Elements are widened, exactly, while they are packed; a block of k is rounded to f32 once, when it meets C.
//
//        f32 --widened--> panels of f64        KC terms in f64       C: one rounding to f32 for each block of k
//
// Needs: twice r7's panels. 2mnk flops of f64, half as many a cycle as of f32.
// Gained over r7: an error of k/512 + 1 roundings instead of 512 and more.
#include <algorithm>

#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/cpu_features.hpp"
#include "base/f32_rounding.hpp"

namespace tw::cpu {
namespace {

constexpr int order_wide_fused = 31, order_wide = 32;

std::int64_t wide_k_block(std::int64_t k) { return std::min(k, block_size(k, 512, 8)); }

/// Row after row where they are contiguous along k, else column after column.
void pack_widened(const View<const float>& from, int width, double* to) {
    if (from.col_step == 1) {
        for (std::int64_t w = 0; w < from.rows; ++w)
            for (std::int64_t p = 0; p < from.cols; ++p) to[p * width + w] = static_cast<double>(from(w, p));
        return;
    }
    for (std::int64_t p = 0; p < from.cols; ++p)
        for (std::int64_t w = 0; w < from.rows; ++w) to[p * width + w] = static_cast<double>(from(w, p));
}

template <const MicroKernel<double>& micro>
struct Wide {
    static std::size_t panel_bytes(int width, std::int64_t k) {
        return static_cast<std::size_t>(width * k) * sizeof(double);
    }
    static void pack_a(const Matrix& rows, std::byte* panel, std::size_t) {
        pack_widened(typed<const float>(rows), micro.mr, reinterpret_cast<double*>(panel));
    }
    static void pack_b(const Matrix& cols, std::byte* panel, std::size_t) {
        pack_widened(typed<const float>(cols.transposed()), micro.nr, reinterpret_cast<double*>(panel));
    }
    static void multiply(const PanelTile& t) {
        double sums[MicroKernel<double>::most_results];
        micro.run({.k = t.chunk.k,
                   .a = reinterpret_cast<const double*>(t.a),
                   .a_row_step = 1,
                   .a_step = micro.mr,
                   .b = reinterpret_cast<const double*>(t.b),
                   .b_step = micro.nr,
                   .c = sums,
                   .c_step = t.c.cols,
                   .alpha = 1,
                   .beta = 0,
                   .rows = static_cast<int>(t.c.rows),
                   .cols = static_cast<int>(t.c.cols)});
        const double alpha = rounded_to_f32(t.alpha),
                     beta = rounded_to_f32(t.beta);  // as every other row of f32 takes them
        const auto c = typed<float>(t.c);
        for (std::int64_t i = 0; i < c.rows; ++i)
            for (std::int64_t j = 0; j < c.cols; ++j) {
                const double sum = alpha * sums[i * c.cols + j];
                c(i, j) = static_cast<float>(beta == 0 ? sum : sum + beta * static_cast<double>(c(i, j)));
            }
    }
    static PanelKernel kernel() { return {micro.mr, micro.nr, wide_k_block, panel_bytes, pack_a, pack_b, multiply}; }

    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return hierarchy_scratch_bytes(kernel(), p, blocks, threads);
    }
    static Status run(const Call& call, const Tile& blocks) { return run_hierarchy(kernel(), call, blocks); }
};

double sum_bound(std::int64_t k) {
    const std::int64_t block = wide_k_block(k);
    return gamma(static_cast<double>(ceil_div(k, block)), unit_f32) +
           gamma(static_cast<double>(block + 4), unit_f64) * 1.01;
}

/// As r7's, with the conversions of packing and of C.
template <const MicroKernel<double>& micro>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(round_up(p.m, micro.mr)), n = static_cast<double>(round_up(p.n, micro.nr));
    const auto k = static_cast<double>(p.k), blocks = static_cast<double>(ceil_div(p.k, 512));
    const int workers = workers_for(p.m, p.n, p.k, threads);
    return 500 + 1000 * (workers > 1) + (m * n * k / micro.rate + (m + n) * k + m * n * blocks) / workers;
}

constexpr Tile tiles[] = {{224, 4096, 512}};

template <const MicroKernel<double>& micro>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::hierarchical,
            .in = Type::f32,
            .out = Type::f32,
            .sum = Type::f64,
            .scheme = &plain_f32,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "f32 widened while it is packed, summed in f64, rounded once for each block of k",
            .sum_bound = sum_bound,
            .nanoseconds = nanoseconds<micro>,
            .scratch_bytes = Wide<micro>::scratch_bytes,
            .run = Wide<micro>::run,
            .order = order};
}

}  // namespace

constinit const Kernel r7_hierarchical_wide_portable =
    row<micro_portable_f64>("cpu.r7_hierarchical_wide.f32.portable", 0, order_wide);
#if defined(__x86_64__)
constinit const Kernel r7_hierarchical_wide_avx2 =
    row<micro_avx2_f64>("cpu.r7_hierarchical_wide.f32.avx2", cpu_feature::avx2, order_wide_fused);
constinit const Kernel r7_hierarchical_wide_avx512 =
    row<micro_avx512_f64>("cpu.r7_hierarchical_wide.f32.avx512", cpu_feature::avx512, order_wide_fused);
#elif defined(__aarch64__)
constinit const Kernel r7_hierarchical_wide_neon =
    row<micro_neon_f64>("cpu.r7_hierarchical_wide.f32.neon", cpu_feature::neon, order_wide_fused);
#endif

}  // namespace tw::cpu
