// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r6_vectorized_complex: r6 for complex numbers: the register tile in the widest vectors that the processor has, with
// fused multiply-adds. Real and imaginary parts must lie apart, so that a strip of B and the rows that meet it are
// copied, each time they are met.
//
//             k                 NR                    NR
//        +---------+       +----+----+           +----+----+
//     MR | aaaaaaa |     k |cccc|    |        MR |####|    |    #### = MR x NR sums of real parts and as many of
//        +---------+       |dddd|    |   =       +----+    |           imaginary ones in vectors
//        | bbbbbbb |       +----+----+           |    |    |
//        +---------+                             +----+----+
//
// Needs: a vector unit; (MR + NR) x KC complex numbers a thread. 8mnk flops; B is copied once, A once for each strip.
// Gained over r5: 8 or 16 lanes for 4, one rounding and one instruction for two.
#include "backend/cpu/complex_panels.hpp"
#include "backend/cpu/complex_results.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

template <class T, const ComplexKernel<T>& micro>
std::size_t worker_bytes(std::int64_t k) {
    return static_cast<std::size_t>(
        round_up((micro.mr + micro.nr) * 2 * complex_k_block<T>(k) * std::int64_t{sizeof(T)}, 64));
}

/// NR columns of C, block of k by block of k.
template <class T, const ComplexKernel<T>& micro>
void multiply_strip(const Product<Complex<T>>& x, std::int64_t j, T* of_b) {
    const std::int64_t depth = complex_k_block<T>(x.k()), cols = std::min<std::int64_t>(micro.nr, x.n() - j);
    T* const of_a = of_b + 2 * micro.nr * depth;
    for (std::int64_t p = 0; p < x.k(); p += depth) {
        const std::int64_t block = std::min(depth, x.k() - p);
        pack_complex(micro, x.b.block(p, j, block, cols).transposed(), micro.nr, of_b);
        for (std::int64_t i = 0; i < x.m(); i += micro.mr) {
            const std::int64_t rows = std::min<std::int64_t>(micro.mr, x.m() - i);
            pack_complex(micro, x.a.block(i, p, rows, block), micro.mr, of_a);
            ComplexTile<T> tile{.k = block,
                                .a = of_a,
                                .b = of_b,
                                .c = nullptr,
                                .c_step = 0,
                                .alpha = 1,
                                .beta = 0,
                                .rows = static_cast<int>(rows),
                                .cols = static_cast<int>(cols)};
            add_tile(micro, x, tile, x.c.block(i, j, rows, cols), p == 0 ? x.beta : Complex<T>(1));
        }
    }
}

template <class T, const ComplexKernel<T>& micro>
Status run(const Call& call, const Tile&) {
    const Product<Complex<T>> x = along_rows(product_of<Complex<T>>(call));
    const std::size_t room = worker_bytes<T, micro>(x.k());
    const std::int64_t strips = ceil_div(x.n(), micro.nr), workers = workers_for(x.m(), x.n(), x.k(), call.threads),
                       each = ceil_div(strips, workers);
    share_out(call, ceil_div(strips, each), [&](int worker, std::int64_t item) {
        T* const own = reinterpret_cast<T*>(call.scratch.data() + static_cast<std::size_t>(worker) * room);
        for (std::int64_t strip = item * each; strip < std::min(strips, (item + 1) * each); ++strip)
            multiply_strip<T, micro>(x, strip * micro.nr, own);
    });
    return {};
}

template <class T, const ComplexKernel<T>& micro>
std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    return static_cast<std::size_t>(threads) * worker_bytes<T, micro>(p.k);
}

/// Through one block, a complex alpha, and C once for each block.
template <class T>
double sum_bound(std::int64_t k) {
    const std::int64_t block = complex_k_block<T>(k);
    return gamma(static_cast<double>(2 * block + ceil_div(k, block) + 3), unit_of<T>);
}

/// r7's, with A copied once for each strip.
template <class T, const ComplexKernel<T>& micro>
double nanoseconds(const Problem& p, int threads) {
    const auto m = static_cast<double>(round_up(p.m, micro.mr)), n = static_cast<double>(round_up(p.n, micro.nr)),
               k = static_cast<double>(p.k);
    const double copied = 2 * sizeof(T) * k * (m * n / micro.nr + n);
    const int workers = workers_for(p.m, p.n, p.k, threads);
    return 500 + 1000 * (workers > 1) + (4 * m * n * k / micro.rate + 0.1 * copied) / workers;
}

constexpr Tile tiles[] = {{0, 0, 0}};

template <class T, const ComplexKernel<T>& micro>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::vectorized,
            .in = type_of<Complex<T>>,
            .out = type_of<Complex<T>>,
            .sum = type_of<Complex<T>>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles,
            .idea = "the register tile in the processor's widest vectors, real and imaginary parts apart",
            .sum_bound = sum_bound<T>,
            .nanoseconds = nanoseconds<T, micro>,
            .scratch_bytes = scratch_bytes<T, micro>,
            .run = run<T, micro>,
            .order = order};
}

}  // namespace

constinit const Kernel r6_vectorized_complex_portable_c64 =
    row<float, complex_portable_f32>("cpu.r6_vectorized_complex.c64.portable", 0, order_in_blocks);
constinit const Kernel r6_vectorized_complex_portable_c128 =
    row<double, complex_portable_f64>("cpu.r6_vectorized_complex.c128.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r6_vectorized_complex_avx2_c64 =
    row<float, complex_avx2_f32>("cpu.r6_vectorized_complex.c64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_vectorized_complex_avx2_c128 =
    row<double, complex_avx2_f64>("cpu.r6_vectorized_complex.c128.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_vectorized_complex_avx512_c64 =
    row<float, complex_avx512_f32>("cpu.r6_vectorized_complex.c64.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r6_vectorized_complex_avx512_c128 = row<double, complex_avx512_f64>(
    "cpu.r6_vectorized_complex.c128.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r6_vectorized_complex_neon_c64 =
    row<float, complex_neon_f32>("cpu.r6_vectorized_complex.c64.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r6_vectorized_complex_neon_c128 =
    row<double, complex_neon_f64>("cpu.r6_vectorized_complex.c128.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

}  // namespace tw::cpu
