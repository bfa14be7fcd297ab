// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_tiles: where C has too few tiles for the chip and k is long, k is cut, and the parts are a batch of products of
// another row, all at once. A second kernel adds their sums by a tree of pairs, and what is left of k.
//
//      k: part 0 | part 1 | part 2 | part 3 | rest        P0 P1 P2 P3  rest
//       +--------+--------+--------+--------+--+            \ /   \ /   |
//     A |   P0 = |  P1 =  |   P2 = |   P3 = |  |   ->        +     +    |  ->  C
//       +--------+--------+--------+--------+--+              \   /     |
//                                                               +   +  -+
//
// How many parts follows from m, n and k: the bits do not depend on the chip. 2mnk flops, and 8mn bytes a part besides.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/add_parts.cuh"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/parts_pace.hpp"
#include "backend/cuda/tiles/heuristics_async_sm90.hpp"
#include "backend/cuda/tiles/heuristics_sliced.hpp"

namespace tw::cuda {
namespace {

/// Who multiplies the parts: rows for Ampere and later, few_tiles_sliced, or r9, whose operands TMA reads.
enum class By { any, slices, boxes };

/// One row's parts: `inner` multiplies them.
template <class T_, By by_, const Kernel& inner_>
struct Of {
    using T = T_;
    using Sum = adding::SumOf<T>;
    static constexpr Type of_sums = type_of<HostNumber<Sum>>;
    static constexpr const Kernel& inner = inner_;
    static constexpr By by = by_;
    static constexpr bool by_boxes = by == By::boxes;
    /// Parts begin where the copies of 16 bytes find them; slices are of single elements along k.
    static constexpr int granule = by == By::boxes ? 16 / sizeof(T) : by == By::slices ? 1 : 8;

    static constexpr double unit = part_of(of_sums) == Type::f64 ? unit_f64 : unit_f32;

    static std::int64_t pitch(std::int64_t n) { return (n + 3) / 4 * 4; }
    static std::size_t bytes(std::int64_t m, std::int64_t n, int count) {
        return (static_cast<std::size_t>(m * pitch(n)) * sizeof(Sum) * static_cast<std::size_t>(count) + 127) / 128 *
               128;
    }
};

template <class R>
int count_of(std::int64_t m, std::int64_t n, std::int64_t k, double& least) {
    return parts::quickest(
        m, n, k, R::granule,
        [&](std::int64_t length, int count) {
            const sm90::Sizes sizes{m, n, length, count, parts::chip};
            if constexpr (R::by == By::any) return parts::time_of_tiles(R::of_sums, m, n, length, count).nanoseconds;
            if constexpr (R::by == By::slices) return sliced::time_of(sliced::quickest(sizes), sizes);
            const sm90::R9Operands operands{.is_f32 = sizeof(typename R::T) == 4};
            // From 64 parts on r9 loses: 16 x 51 x 48768 takes 11 us in 16 and in 32, 19 in 64.
            const double of_many = count > 32 ? 8000 : 0;
            return of_many + sm90::r9_time(sizes, sm90::r9_tile(sizes, operands, true), operands);
        },
        least);
}
template <class R>
int count_of(std::int64_t m, std::int64_t n, std::int64_t k, const Tile& asked) {
    double least;
    int count = asked.k > 0 ? asked.k : count_of<R>(m, n, k, least);
    while (count > 1 && parts::length(k, count, R::granule) == 0) count /= 2;
    return count;
}

/// `m` as a copy of it lies: rows along k, or across.
Matrix as_read(Matrix rows, const AlignedRows& lies) {
    rows.data = const_cast<void*>(lies.data);
    rows.row_step = lies.across ? 1 : lies.step;
    rows.col_step = lies.across ? lies.step : 1;
    return rows;
}

/// The products of a batch's first part, or of all parts of one product, a batch themselves.
template <class R>
struct Parts {
    Call call;
    Batch batch;

    Parts(const Call& whole, int count, std::int64_t length, std::byte* sums) : call(whole) {
        const std::int64_t pitch = R::pitch(whole.n()), of_product = whole.m() * pitch;
        call.a.cols = call.b.rows = length;
        call.c = {sums, R::of_sums, whole.m(), whole.n(), pitch};
        call.alpha = 1, call.beta = 0, call.alpha_imag = 0, call.beta_imag = 0, call.epilogue = {},
        call.reproducible = true;
        if (whole.batch) batch = *whole.batch;
        else batch = {count, length * whole.a.col_step, length * whole.b.row_step};
        batch.c_step = of_product, batch.residual_step = 0;
        call.batch = &batch;
    }
    Parts(const Parts&) = delete;
};

template <class R>
Status run_fused(const Call& given, const Tile& asked) {
    Call call = given;
    const int count = count_of<R>(call.m(), call.n(), call.k(), asked);
    const std::int64_t products = products_of(call), length = parts::length(call.k(), count, R::granule),
                       pitch = R::pitch(call.n()), of_product = call.m() * pitch;
    const std::size_t all = products * R::bytes(call.m(), call.n(), count);
    std::byte* const sums = call.scratch.data();
    call.scratch = call.scratch.subspan(all);
    if (R::by_boxes && !call.batch) {
        Batch nothing_is_turned{.size = 1};
        call.batch = &nothing_is_turned;
        AlignedRows a, b;
        bool possible;
        const Status bad = align_operands(call, AsRead::both_across, a, b, possible);
        call.batch = nullptr;
        if (!bad) return bad;
        if (!possible) return R::inner.run(given, {});
        call.a = as_read(call.a, a), call.b = as_read(call.b.transposed(), b).transposed();
    }
    Parts<R> part(call, count, length, sums);
    const int side = parts::time_of_tiles(R::of_sums, call.m(), call.n(), length, count).side;
    const Tile tile = R::by == By::any ? Tile{side, side, 16} : Tile{};
    for (int p = 0; p < (given.batch ? count : 1); ++p) {
        part.call.a.data = call.a.at(0, p * length), part.call.b.data = call.b.at(p * length, 0);
        part.call.c.data = sums + p * products * of_product * static_cast<std::int64_t>(sizeof(typename R::Sum));
        if (const Status bad = R::inner.run(part.call, tile); !bad) return bad;
    }
    return add_parts(given,
                     {sums, pitch, 1, products * of_product, of_product, count, static_cast<int>(count * length)});
}

template <class R>
Status run(const Call& call, const Tile& tile) {
    return with_epilogue(call, [&](const Call& one) { return run_fused<R>(one, tile); });
}

std::size_t scratch_of(const Call& given, const Tile&) {
    Call call = given;
    const Batch nothing_is_turned{.size = 1};
    call.batch = &nothing_is_turned;
    return aligned_bytes_of(call, AsRead::both_across);
}

/// Pointers would have to move from part to part.
bool takes_by_steps(const Call& call) { return !by_pointers(*call.batch) && cuda::takes_batch(call); }

template <class R>
bool takes_parts(const Call& call) {
    const int count = count_of<R>(call.m(), call.n(), call.k(), Tile{});
    const Parts<R> part(call, count, parts::length(call.k(), count, R::granule), nullptr);
    return takes_by_steps(call) && R::inner.batching->takes(part.call);
}

template <class R>
std::size_t batch_bytes(const Problem& p, const Tile& tile, const Batch& batch) {
    return static_cast<std::size_t>(batch.size) * R::bytes(p.m, p.n, count_of<R>(p.m, p.n, p.k, tile));
}

template <class R>
constexpr Batching batching{takes_parts<R>, batch_bytes<R>};

/// At most half of k is one part's; then the tree, and a thread's share of the rest, which is shorter than a part.
template <class R>
double sum_bound(std::int64_t k) {
    return R::inner.sum_bound((k + 1) / 2) + gamma(24, R::unit);
}

constexpr Tile tiles[] = {{}, {64, 64, 2}, {64, 64, 4}, {64, 64, 8}, {64, 64, 16}, {64, 64, 32}, {64, 64, 64}};

template <class R>
constexpr Kernel row(const char* name, Type in, Type out, const Scheme* scheme) {
    return {.name = name,
            .rung = Rung::none,
            .in = in,
            .out = out,
            .sum = R::of_sums,
            .scheme = scheme,
            .needs = R::by == By::any ? feature::sm80 : feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = R::of_sums == Type::f32,
            .idea = "few tiles of a long k: parts of k as a batch, added up by a tree of pairs",
            .takes =
                [](const Problem& p) {
                    double least;
                    return fits_ints(p) && count_of<R>(p.m, p.n, p.k, least) > 1;
                },
            .sum_bound = sum_bound<R>,
            .nanoseconds =
                [](const Problem& p, int) {
                    double least;
                    const int count = count_of<R>(p.m, p.n, p.k, least);
                    // Slices that leave nothing are sooner added (256 x 128 x 1152: 8.4 us; 512 x 128 x 1152: 12.2).
                    if (R::by == By::slices && p.k % count == 0 && (count >= 8 || p.k / count % 32 == 0)) least -= 1500;
                    const auto copied = R::by_boxes ? static_cast<double>(aligned_bytes(p, AsRead::both_across)) : 0.0;
                    return least + (copied > 0 ? launch_nanoseconds + copied / 1700 : 0);
                },
            .scratch_bytes =
                [](const Problem& p, const Tile& tile, int) {
                    return R::bytes(p.m, p.n, count_of<R>(p.m, p.n, p.k, tile)) +
                           (R::by_boxes ? aligned_bytes(p, AsRead::both_across) : 0);
                },
            .scratch_of = R::by_boxes ? scratch_of : nullptr,
            .run = run<R>,
            .batching = &batching<R>};
}

}  // namespace

Status add_parts(const Call& call, const PartsOfSums& sums) noexcept {
    switch (call.a.type) {
        case Type::f64: return adding::add_all<double>(sums, call);
        case Type::c64: return adding::add_all<Complex<float>>(sums, call);
        case Type::c128: return adding::add_all<Complex<double>>(sums, call);
        case Type::f32: return adding::add_all<float>(sums, call);
        case Type::bf16: return adding::add_all<__nv_bfloat16>(sums, call);
        default: return adding::add_all<__half>(sums, call);
    }
}

using OfF64 = Of<double, By::any, r8_dmma_f64>;
using OfC64 = Of<Complex<float>, By::any, r7_hierarchical_complex_c64>;
using OfC128 = Of<Complex<double>, By::any, r8_dmma_complex_c128>;
using OfF32 = Of<float, By::any, r7_hierarchical_f32>;
using OfSlices = Of<float, By::slices, few_tiles_sliced_f32>;
using OfTf32 = Of<float, By::boxes, r9_async_pipeline_f32>;
using OfBf16 = Of<__nv_bfloat16, By::boxes, r9_async_pipeline_bf16_f32>;
using OfF16 = Of<__half, By::boxes, r9_async_pipeline_f16_f32>;

constinit const Kernel few_tiles_f64 = row<OfF64>("cuda.few_tiles.f64", Type::f64, Type::f64, unsplit<double>);
constinit const Kernel few_tiles_c64 = row<OfC64>("cuda.few_tiles.c64", Type::c64, Type::c64, &plain_f32);
constinit const Kernel few_tiles_c128 = row<OfC128>("cuda.few_tiles.c128", Type::c128, Type::c128, &plain_f64);
constinit const Kernel few_tiles_f32 = row<OfF32>("cuda.few_tiles.f32.fma", Type::f32, Type::f32, &plain_f32);
constinit const Kernel few_tiles_slices = row<OfSlices>("cuda.few_tiles.f32.slices", Type::f32, Type::f32, &plain_f32);
constinit const Kernel few_tiles_tf32 = row<OfTf32>("cuda.few_tiles.f32.tf32", Type::f32, Type::f32, &tf32x1);
constinit const Kernel few_tiles_bf16 = row<OfBf16>("cuda.few_tiles.bf16", Type::bf16, Type::bf16, &plain_f32);
constinit const Kernel few_tiles_bf16_f32 = row<OfBf16>("cuda.few_tiles.bf16.f32", Type::bf16, Type::f32, &plain_f32);
constinit const Kernel few_tiles_f16 = row<OfF16>("cuda.few_tiles.f16", Type::f16, Type::f16, &plain_f32);
constinit const Kernel few_tiles_f16_f32 = row<OfF16>("cuda.few_tiles.f16.f32", Type::f16, Type::f32, &plain_f32);

}  // namespace tw::cuda
