// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_rows_anywhere: few rows beside weights whose lines begin at any address, with any pitch, read once and never
// copied. TMA wants multiples of 16 bytes, which every 4th line of f32 and every 8th of 16 bits is behind the one
// before, so that each 4th, or 8th, has a map of its own, from the 16 bytes on in which its first element lies.
//
//     a tile of weights, lines l, l + 8, ... by map l                  few rows, laid beside
//   +-----------------------------------------------+          +-------------------------------+
//   | ..| line 0, 128 bytes of k      |.| line 8 .. |          | 128 bytes of k of each,       |
//   | .| line 1                      |..| line 9 .. |    x     | zeros behind k; f32 twice,    |   ->  C^T
//   |      ...  what lies around them is not used   |          | its parts of tf32             |
//   +-----------------------------------------------+          +-------------------------------+
//
// The weights go through registers, where elements come into their places, to the unit's side of 64. k is cut where
// there are few tiles, and add_parts adds the parts. For Inf and NaN in f32 a result is computed anew.
// Needs: sm_90a. 2mnk flops (f32 three times) for 4nk (2nk) bytes: the memory is the limit.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/fused.cuh"
#include "backend/cuda/few/add_parts.hpp"
#include "backend/cuda/few/all_numbers.hpp"
#include "backend/cuda/few/anywhere_maps.cuh"
#include "backend/cuda/few/anywhere_sums.cuh"
#include "backend/cuda/few/rows.hpp"
#include "backend/cuda/heuristics_anywhere.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {
namespace {

using namespace anywhere;

template <class C>
__global__ void __launch_bounds__(threads, 1)
    few_rows_anywhere(const __grid_constant__ Maps maps, const __grid_constant__ CUtensorMap tokens, Stage stage,
                      Work work, Tensor<const float> few, Tensor<const float> weights) {
    extern __shared__ char shared[];
    const Memory memory{(ptx::shared_address(shared) + 1023) & ~1023u, stage};
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), lane = static_cast<int>(threadIdx.x) % 32;
    ptx::let_next_kernel_begin();
    if (threadIdx.x == consumers) {
        for (int map = 0; map < C::maps; ++map) ptx::prefetch_map(maps.of[map]);
        ptx::prefetch_map(tokens);
        for (int s = 0; s < stage.stages; ++s) {
            ptx::init_barrier(memory.full(s), 1);
            ptx::init_barrier(memory.empty(s), consumers / 32);
        }
        ptx::publish_barriers();
    }
    __syncthreads();
    ptx::wait_for_kernel_before();
    if (warp >= consumers / 32) {
        ptx::give_registers<40>();
        if (threadIdx.x == consumers) fetch<C>(memory, maps, tokens, work);
        return;
    }
    ptx::take_registers<232>();
    const Rows<C> rows(stage, work);
    Place at;
    each_item(work, [&](const Item& item) {
        float sums[C::N / 2] = {}, unit[C::N / 2] = {};
        for (int step = item.from; step < item.end; ++step, at.next(stage.stages)) {
            ptx::wait_barrier(memory.full(at.stage), at.parity);
            const int of_now = C::cuts ? (step - item.from) % C::of_period : step - item.from;
#pragma unroll
            for (int half = 0; half < C::HALVES; ++half)
                multiply<C>(unit, memory, at.stage, half, work, rows, of_now > 0 || half > 0);
            __syncwarp();
            if (lane == 0) ptx::arrive(memory.empty(at.stage));
            if (C::cuts && (of_now == C::of_period - 1 || step + 1 == item.end))
#pragma unroll
                for (int i = 0; i < C::N / 2; ++i) sums[i] += unit[i];
        }
        if constexpr (C::cuts) store<C>(sums, work, item, stage, rows, few, weights);
        else store<C>(unit, work, item, stage, rows, few, weights);
    });
}

/// The product with the few rows as A, and how it is cut.
struct Few {
    Call call;
    bool turned;
    Matrix weights;  ///< rows along k
    Cutting cut;

    Few(const Call& given, int products, const Tile& asked)
        : call(given.m() > given.n() ? across(given) : given),
          turned(given.m() > given.n()),
          weights(call.b.transposed()),
          cut(cutting(call.m(), call.n(), call.k(), static_cast<int>(size_of(call.a.type)), products, along())) {
        if (asked.m > 0) cut.height = asked.m, cut.parts = asked.k;
    }
    bool along() const { return weights.col_step == 1; }
    bool lies() const { return (along() || weights.row_step == 1) && step_of_lines(weights) > 0; }
    std::int64_t sums_pitch() const { return (call.n() + 3) / 4 * 4; }
};

template <class T, int N, bool along, bool holds_all>
Status start(const Few& of, const Call& given, int products) {
    using C = Cut<T, N, along, holds_all>;
    const Call& call = of.call;
    const std::int64_t m = call.m(), n = call.n(), k = call.k(), pitch = of.sums_pitch();
    const Stage stage = Stage::of<C>(of.cut.height, products);
    Maps maps;
    Work work{};
    if (const Status bad = describe_weights<C>(of.weights, stage, maps, work.shifts); !bad) return bad;
    std::byte* const laid = call.scratch.data() + sums_bytes(m, n, of.cut.sums());
    const std::int64_t tokens_step = tokens_pitch(k, sizeof(T));
    CUtensorMap tokens;
    const BoxedMatrix few{laid, call.a.type, tokens_step, products > 1 ? 2 * m : m, tokens_step * C::size, BK<T>, N};
    if (const Status bad = describe(tokens, few); !bad) return bad;
    if (const Status bad = lay<T, holds_all>(laid, call.a, !along, products > 1, call.stream); !bad) return bad;

    const bool direct = of.cut.parts == 1 && call.c.type == Type::f32 && call.alpha == 1 && call.beta == 0 &&
                        call.epilogue.is_empty();  // the kernel writes C itself
    work.tiles = static_cast<int>(tiles_over(n, of.cut.height)), work.across = static_cast<int>(tiles_over(m, N));
    work.parts = of.cut.sums(), work.steps = static_cast<int>(tiles_over(k, C::deep));
    work.share = static_cast<int>(tiles_over(work.steps, of.cut.parts));
    work.few = static_cast<int>(m), work.rows = static_cast<int>(n), work.products = products;
    work.sums = static_cast<float*>(direct ? call.c.data : static_cast<void*>(call.scratch.data()));
    work.few_step = direct ? call.c.row_step : pitch, work.rows_step = direct ? call.c.col_step : 1,
    work.apart = m * pitch;
    Matrix plain_few = call.a, plain_weights = of.weights;
    plain_few.type = plain_weights.type = Type::f32;  // read where T is f32 alone
    const Status done =
        launch(few_rows_anywhere<C>,
               {.blocks = static_cast<unsigned>(std::min(work.tiles * work.across * work.parts, multiprocessors())),
                .threads = threads,
                .shared = static_cast<std::size_t>(stage.shared()),
                .overlaps = true},
               call.stream, maps, tokens, stage, work, tensor_of<const float>(plain_few),
               tensor_of<const float>(plain_weights));
    if (!done || direct) return done;
    return add_parts(given, {work.sums, of.turned ? 1 : pitch, of.turned ? pitch : 1, m * pitch, 0, work.parts,
                             static_cast<int>(k)});
}

template <class T, bool along, bool holds_all>
Status start_of(const Few& of, const Call& given, int products) {
    const int columns = columns_of(of.call.m(), static_cast<int>(sizeof(T)), holds_all);
    if (columns == 32) return start<T, 32, along, holds_all>(of, given, products);
    if constexpr (sizeof(T) == 4) {
        if (columns == 64) return start<T, 64, along, holds_all>(of, given, products);
        if constexpr (!holds_all)
            if (columns == 160) return start<T, 160, along, holds_all>(of, given, products);
    }
    return start<T, 128, along, holds_all>(of, given, products);
}

template <class T, int products, bool holds_all>
Status run(const Call& call, const Tile& tile) {
    return with_epilogue(call, [&](const Call& one) -> Status {
        const Few of(one, products, tile);
        if (!of.lies()) {
            if constexpr (sizeof(T) == 4) return r7_hierarchical_f32.run(one, {});
            else return run_plainly(one);
        }
        return of.along() ? start_of<T, true, holds_all>(of, one, products)
                          : start_of<T, false, holds_all>(of, one, products);
    });
}

/// Weights that lie in one direction, whatever their steps; the few rows may lie anyhow.
bool takes(const Problem& p) {
    const Sides s(p);
    return fits_ints(p) && s.few <= most_few && s.rows >= 64 && s.k >= 64 && !parts::may_be_many(p.m, p.n, p.k) &&
           s.weights != Form::strided;
}

template <int products, bool holds_all>
double nanoseconds(const Problem& p, int) {
    return Sides(p).nanoseconds(products, holds_all);
}

template <int products>
std::size_t scratch_bytes(const Problem& p, const Tile& asked, int) {
    const Sides s(p);
    const Cutting cut = asked.m > 0 ? Cutting{asked.m, asked.k} : s.cut(products);
    return sums_bytes(s.few, s.rows, cut.sums()) + tokens_bytes(s.few, s.k, static_cast<std::size_t>(s.size));
}

/// f32: inside the unit 8 of k at a time, 9 errors of 2^-25 and one of 2^-23, then the periods, and the parts' tree.
/// 16 bits: whole or, at most half of k, a part's.
template <bool cuts, int products>
double sum_bound(std::int64_t k) {
    constexpr double inside_most = 2 * BK<float>;
    const auto all = static_cast<double>(k), inside = std::min(all, inside_most);
    if (cuts) return gamma(6.5 * products * (inside + 7) / 8 + all / inside_most + 12, unit_f32);
    return std::max(matrix_unit_sum_bound(k), matrix_unit_sum_bound((k + 1) / 2 + 64) + gamma(24, unit_f32));
}

constexpr Tile tiles[] = {{}, {128, 128, 1}, {112, 128, 1}, {128, 128, 4}, {64, 128, 8}};

template <class T, int products = 1, bool holds_all = false>
constexpr Kernel row(const char* name, Type in, Type out, const Scheme* scheme) {
    return {.name = name,
            .rung = Rung::none,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = scheme,
            .needs = feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "few rows, weights that begin anywhere: TMA reads each 4th or 8th line by a map of its own",
            .takes = takes,
            .sum_bound = sum_bound < sizeof(T) == 4,
            products >,
            .nanoseconds = nanoseconds<products, holds_all>,
            .scratch_bytes = scratch_bytes<products>,
            .run = run<T, products, holds_all>};
}

}  // namespace

constinit const Kernel few_rows_anywhere_f32 =
    row<float, 3>("cuda.few_rows_anywhere.f32.tf32x3", Type::f32, Type::f32, &tf32x3);
constinit const Kernel few_rows_anywhere_f32_of_all =
    row<float, 3, true>("cuda.few_rows_anywhere.f32.tf32x3.all_numbers", Type::f32, Type::f32, &tf32x3_of_all);
constinit const Kernel few_rows_anywhere_tf32 =
    row<float>("cuda.few_rows_anywhere.f32.tf32x1", Type::f32, Type::f32, &tf32x1);
constinit const Kernel few_rows_anywhere_bf16 =
    row<__nv_bfloat16>("cuda.few_rows_anywhere.bf16", Type::bf16, Type::bf16, &plain_f32);
constinit const Kernel few_rows_anywhere_bf16_f32 =
    row<__nv_bfloat16>("cuda.few_rows_anywhere.bf16.f32", Type::bf16, Type::f32, &plain_f32);
constinit const Kernel few_rows_anywhere_f16 =
    row<__half>("cuda.few_rows_anywhere.f16", Type::f16, Type::f16, &plain_f32);
constinit const Kernel few_rows_anywhere_f16_f32 =
    row<__half>("cuda.few_rows_anywhere.f16.f32", Type::f16, Type::f32, &plain_f32);

}  // namespace tw::cuda
