// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r6_vectorized: the register tile in the widest vectors that the processor has, with fused multiply-adds. Operands are
// read where they lie, so nothing is spent before the first product: the way for small and for skinny ones.
//
//             k                 NR                    NR
//        +---------+       +----+----+           +----+----+
//     MR | aaaaaaa |     k |bbbb|    |        MR |####|    |    #### = MR x NR sums in vectors: 6 x 16 in AVX2,
//        +---------+       |bbbb|    |   =       +----+    |           8 x 48 in AVX-512 (f32); fewer rows
//        |         |       |bbbb|    |           |    |    |           make it wider
//        +---------+       +----+----+           +----+----+
//
// Needs: a vector unit; a strip of B is packed only where its rows are not contiguous or are met often. 2mnk flops;
// each strip of B is read from memory once, A once for each strip. Gained over r5: 8 or 16 lanes for 4, one rounding
// and one instruction for two, and no copying.
#include "backend/cpu/in_slabs.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/micro/few_tiles.hpp"
#include "backend/cpu/narrow_strips.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/shares.hpp"
#include "backend/cpu/strips.hpp"
#include "backend/cpu/strips_cost.hpp"
#include "base/cpu_features.hpp"

namespace tw::cpu {
namespace {

/// Few tiles by a cut that was planned for the shapes, or by one that suits how A's rows lie.
template <class T, const MicroKernel<T>& kernel, bool turned>
void run_direct(const Direct& cut, const Matrix& a, const Matrix& b, const Matrix& c, double alpha, double beta) {
    MicroTile<T> corner = corner_tile<T, turned>(a, b, c, alpha, beta);
    const std::int64_t m = turned ? c.cols : c.rows, n = turned ? c.rows : c.cols;
    if (cut.height <= kernel.low || corner.a_step != 1 || !rows_fight<T>(corner.a_row_step))
        return run_tiles(kernel, cut, corner, m, n);
    const auto extent = [](std::int64_t x) { return static_cast<int>(x); };
    run_tiles(kernel, cut_in_tiles(kernel, extent(m), extent(n), extent(corner.k), true, kernel.low), corner, m, n);
}

/// The same where one tile is all.
template <class T, const MicroKernel<T>& kernel, bool turned>
void run_single(const Direct& cut, const Matrix& a, const Matrix& b, const Matrix& c, double alpha, double beta) {
    const MicroTile<T> all = corner_tile<T, turned>(a, b, c, alpha, beta);
    if (cut.height > kernel.low && all.a_step == 1 && rows_fight<T>(all.a_row_step)) [[unlikely]]
        return run_direct<T, kernel, turned>(cut, a, b, c, alpha, beta);
    reinterpret_cast<typename MicroKernel<T>::Function>(cut.tiles[0][1])(all);
}

/// Rows of B and C that are contiguous, or columns of A and C.
template <class T, const MicroKernel<T>& kernel>
Direct direct(const Problem& p, int threads) {
    const bool turned = p.c == Form::col_major;
    if (p.c == Form::strided || (turned ? p.a : p.b) != p.c) return {};
    if (!are_few<T>(p.m, p.n, p.k, threads) && !pass_near_b(kernel, p, threads)) return {};
    const auto m = static_cast<int>(turned ? p.n : p.m), n = static_cast<int>(turned ? p.m : p.n);
    const bool on_rows = (turned ? p.b : p.a) == p.c;
    Direct made = cut_in_tiles(kernel, m, n, static_cast<int>(p.k), on_rows);
    made.turned = turned, made.left_on_rows = on_rows;
    if (m <= made.height && n <= made.width)
        made.run = turned ? run_single<T, kernel, true> : run_single<T, kernel, false>;
    else made.run = turned ? run_direct<T, kernel, true> : run_direct<T, kernel, false>;
    made.most_step = p.m * p.n * p.k <= few_products ? most_step_of_few : most_step_of_many;
    return made;
}

/// With an epilogue, or as a part of a larger call, which nobody planned. False when the product has no such way.
template <class T, const MicroKernel<T>& kernel>
bool run_small(const Call& call) {
    const Problem problem{.m = call.m(),
                          .n = call.n(),
                          .k = call.k(),
                          .in = type_of<T>,
                          .out = type_of<T>,
                          .a = form_of(call.a),
                          .b = form_of(call.b),
                          .c = form_of(call.c)};
    const Direct made = call.direct ? *call.direct : direct<T, kernel>(problem, call.threads);
    if (!suits(made, call.a, call.b)) return false;
    made.run(made, call.a, call.b, call.c, call.alpha, call.beta);
    Finisher(call, false)(call.c, 0, 0);
    return true;
}

template <class T, const MicroKernel<T>& kernel>
Status run_in_slabs(const Call& call, const Tile&, const SlabSteps* slabs) {
    if (!slabs && run_small<T, kernel>(call)) return {};
    const Product<T> by_rows = along_rows(product_of<T>(call));
    const bool across = goes_across(kernel, by_rows);
    const Product<T> x = across ? by_rows.transposed() : by_rows;
    Call some = call;
    some.threads = workers_for(call.m(), call.n(), call.k(), call.threads);
    const Strips<T> cut(kernel, x, Strips<T>::part_of(kernel, x.m(), x.n(), some.threads));
    T* const panels = reinterpret_cast<T*>(call.scratch.data());
    const Finisher finisher(call, is_turned(call) != across, slabs);
    if (some.threads == 1) {
        multiply_part(kernel, x, cut, slabs, panels,
                      [&](const View<T>& tile, std::int64_t i, std::int64_t j) { finisher(erase(tile), i, j); });
        return {};
    }
    const std::int64_t panel = panels ? panel_elements(kernel, x.k()) : 0;  // without scratch nothing is packed
    const std::int64_t together = Shares<T>::together(kernel, x.m(), x.n(), cut.width, some.threads);
    share_strips(some, x, cut, together, sums_behind<T>(call, some.threads * panel), finisher,
                 [&](int worker, const Product<T>& product, std::int64_t, const Part&, const auto& completed) {
                     multiply_part(kernel, product, cut, slabs, panels + worker * panel, completed);
                 });
    return {};
}

/// f16 and bf16 operands.
template <const MicroKernel<float>& kernel>
Status run_narrow(const Call& given) {
    auto* const memory = reinterpret_cast<float*>(given.scratch.data());
    const bool turned = is_turned(given.c);
    Call call = turned_if(turned, given);
    if (widens_all(call.m(), call.n(), call.k(), call.threads)) {
        Call wide = given;
        wide.a = erase(NarrowStrips::widened(given.a, memory));
        wide.b = erase(NarrowStrips::widened(given.b, memory + NarrowStrips::elements_of(given.m(), given.k())));
        wide.scratch = given.scratch.subspan(NarrowStrips::bytes_of_all(given.m(), given.n(), given.k()));
        return run_in_slabs<float, kernel>(wide, {}, nullptr);
    }
    const Product<float> x = product_of<float>(call);
    call.threads = workers_for(call.m(), call.n(), call.k(), call.threads);
    Strips<float> cut(kernel, x, Strips<float>::part_of(kernel, x.m(), x.n(), call.threads));
    cut.packs = true;
    const std::int64_t room = NarrowStrips::elements(kernel, x.k());
    share_strips(
        call, x, cut, cut.width, sums_behind<float>(call, call.threads * room), Finisher(given, turned),
        [&](int worker, const Product<float>& product, std::int64_t p, const Part& part, const auto& completed) {
            multiply_narrow_part(kernel, product, call.a.block(part.i, p, part.rows, product.k()),
                                 call.b.block(p, part.j, product.k(), part.cols), cut, memory + worker * room,
                                 completed);
        });
    return {};
}

template <class T, const MicroKernel<T>& kernel>
Status run(const Call& call, const Tile& tile) {
    if constexpr (sizeof(T) == sizeof(float))
        if (is_narrow(call.a.type)) return run_narrow<kernel>(call);
    return run_in_slabs<T, kernel>(call, tile, nullptr);
}

template <class T, const MicroKernel<T>& kernel>
std::size_t scratch_bytes(const Problem& p, const Tile&, int threads) {
    const bool as_they_lie = p.b == Form::row_major && p.c == Form::row_major;
    const PartsOfK<T> parts(p.m, p.n, p.k);
    const bool cuts_k = workers_for(p.m, p.n, p.k, threads) > 1 && parts.fit(), narrow = is_narrow(p.in);
    if (as_they_lie && p.m < rows_worth_packing && !cuts_k && !narrow) return 0;
    const bool widens_whole = narrow && widens_all(p.m, p.n, p.k, threads);
    std::int64_t own = panel_elements(kernel, p.k);
    if constexpr (sizeof(T) == sizeof(float))
        if (narrow && !widens_whole) own = NarrowStrips::elements(kernel, p.k);
    return (widens_whole ? NarrowStrips::bytes_of_all(p.m, p.n, p.k) : 0) +
           static_cast<std::size_t>(threads * own + (cuts_k ? parts.elements() : 0)) * sizeof(T);
}

constexpr Tile tiles[] = {{0, 0, 0}};

template <class T, const MicroKernel<T>& kernel>
constexpr Kernel row(const char* name, Features needs, int order) {
    return {.name = name,
            .rung = Rung::vectorized,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = unsplit<T>,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = true,
            .widens = sizeof(T) == sizeof(float),
            .idea = "the register tile in the processor's widest vectors, fused multiply-adds, nothing packed",
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = strips_nanoseconds<T, kernel>,
            .scratch_bytes = scratch_bytes<T, kernel>,
            .run = run<T, kernel>,
            .order = order,
            .direct = direct<T, kernel>};
}

template <class T, const MicroKernel<T>&... micro>
void look_for(const Kernel& kernel, InSlabs& found) noexcept {
    ((found = kernel.run == run<T, micro> ? InSlabs{run_in_slabs<T, micro>, true} : found), ...);
}

}  // namespace

constinit const Kernel r6_vectorized_portable_f32 =
    row<float, micro_portable_f32>("cpu.r6_vectorized.f32.portable", 0, order_in_blocks);
constinit const Kernel r6_vectorized_portable_f64 =
    row<double, micro_portable_f64>("cpu.r6_vectorized.f64.portable", 0, order_in_blocks);
#if defined(__x86_64__)
constinit const Kernel r6_vectorized_avx2_f32 =
    row<float, micro_avx2_f32>("cpu.r6_vectorized.f32.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_vectorized_avx2_f64 =
    row<double, micro_avx2_f64>("cpu.r6_vectorized.f64.avx2", cpu_feature::avx2, order_fused_in_blocks);
constinit const Kernel r6_vectorized_avx512_f32 =
    row<float, micro_avx512_f32>("cpu.r6_vectorized.f32.avx512", cpu_feature::avx512, order_fused_in_blocks);
constinit const Kernel r6_vectorized_avx512_f64 =
    row<double, micro_avx512_f64>("cpu.r6_vectorized.f64.avx512", cpu_feature::avx512, order_fused_in_blocks);
#elif defined(__aarch64__)
constinit const Kernel r6_vectorized_neon_f32 =
    row<float, micro_neon_f32>("cpu.r6_vectorized.f32.neon", cpu_feature::neon, order_fused_in_blocks);
constinit const Kernel r6_vectorized_neon_f64 =
    row<double, micro_neon_f64>("cpu.r6_vectorized.f64.neon", cpu_feature::neon, order_fused_in_blocks);
#endif

InSlabs vectorized_in_slabs(const Kernel& kernel) noexcept {
    InSlabs found;
    look_for<float, micro_portable_f32>(kernel, found);
    look_for<double, micro_portable_f64>(kernel, found);
#if defined(__x86_64__)
    look_for<float, micro_avx2_f32, micro_avx512_f32>(kernel, found);
    look_for<double, micro_avx2_f64, micro_avx512_f64>(kernel, found);
#elif defined(__aarch64__)
    look_for<float, micro_neon_f32>(kernel, found);
    look_for<double, micro_neon_f64>(kernel, found);
#endif
    return found;
}

}  // namespace tw::cpu
