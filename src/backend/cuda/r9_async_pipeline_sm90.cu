// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9_async_pipeline: the matrix unit never waits for memory. Blocks stay on their multiprocessor and take tile after
// tile; one thread keeps STAGES tiles of A and B on their way, two warpgroups do nothing but multiply.
//
//    producer          ring in shared memory             consumers                 C
//   +--------+     +----+----+----+----+      +--------------------------+     +---------+
//   | 1 thread| -> | s0 | s1 | s2 | s3 | ->   | 64 x BN sums in registers| ->  | by boxes|
//   +--------+     +----+----+----+----+      | 64 x BN sums in registers|     +---------+
//     copies boxes   A: BM x 64, B: BN x 64   +--------------------------+  stored while the next tile begins
//
// Two blocks of a cluster, one below the other, fetch half of B's tile each and give it to both.
// Needs: sm_90a. 2mnk flops; BM x BN x 64 of them for (BM + BN / CLUSTER) x 128 bytes from L2.
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/device/tensor_map.hpp"
#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/heuristics_sm90.hpp"
#include "backend/cuda/ladder.hpp"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {
namespace {

using ptx::Major;

template <int BM, int BN, int STAGES, int CLUSTER>
using Shape = Pipeline<BM, BN, STAGES, CLUSTER, BM / 64 * 16384>;

/// A thread with 128 sums has no registers left for steps, bounds and an old C: that is the smaller tiles' work.
template <class P>
constexpr bool rows_only = P::BN == 256;

/// TMA writes whole 16 bytes: a row that ends inside of them is left to the threads.
bool goes_by_box(const Call& call) {
    const auto size = static_cast<std::int64_t>(size_of(call.c.type));
    return call.c.col_step == 1 && call.n() * size % 16 == 0 && suits_tma(call.c.data, call.c.row_step * size);
}

template <class P, class T, Major b_major>
__global__ void __launch_bounds__(P::threads, 1)
    async_pipeline(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                   const __grid_constant__ CUtensorMap c, Output out, BatchRaster raster, int steps) {
    extern __shared__ char memory[];
    const P pipe(memory);
    pipe.init(a, b, c);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    const int group = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 128, 0),
              thread = static_cast<int>(threadIdx.x) % 128;
    if (group == 0) {
        ptx::give_registers<P::producer_registers>();
        if (thread == 0) produce<P, Major::k, b_major>(pipe, a, b, raster, steps, [](int, int) {});
        P::arrive_all();
    } else {
        ptx::take_registers<P::consumer_registers>();
        using Unit = ptx::MatrixUnit<P::BN, T, Major::k, b_major>;
        const int consumer = group - 1, clusters = static_cast<int>(gridDim.x) / P::CLUSTER;
        constexpr int b_lead = b_major == Major::k ? 16 : 64 * P::row_bytes;
        constexpr int b_step = b_major == Major::k ? 32 : 16 * P::row_bytes;  // bytes to the next 16 of k
        float sums[P::BN / 2];
        Turn<P::STAGES> turn;
        for (int tile = static_cast<int>(blockIdx.x) / P::CLUSTER; tile < raster.count(); tile += clusters) {
            int before = 0;
#pragma unroll
            for (int i = 0; i < P::BN / 2; ++i) sums[i] = 0;  // dead stores: they end the live range of the sums before
            for (int step = 0; step < steps; ++step, turn.next()) {
                ptx::wait_barrier(pipe.full(turn.stage), turn.parity);
                const std::uint64_t at = ptx::tile_descriptor(pipe.a_tile(turn.stage) + consumer * 64 * P::row_bytes);
                const std::uint64_t bt = ptx::tile_descriptor(pipe.b_tile(turn.stage), b_lead);
                ptx::pin(sums);
                ptx::fence_products();
#pragma unroll
                for (int q = 0; q < 4; ++q) Unit::add(sums, at + q * (32 >> 4), bt + q * (b_step >> 4), step + q);
                ptx::commit_products();
                if (step > 0) {
                    ptx::wait_for_products<1>();
                    pipe.release(before, thread);
                }
                before = turn.stage;
            }
            ptx::wait_for_products<0>();
            ptx::pin(sums);
            pipe.release(before, thread);
            if (tile + clusters >= raster.count()) P::arrive_all();
            int row, col;
            raster.place(tile, row, col);
            const int product = raster.product_of(tile);
            const Output mine = raster.products > 1 ? out.of(product, raster.depths.of(product).c) : out;
            finish_tile<T, P::BN, rows_only<P>>(sums, mine, c, pipe.base + P::staging + consumer * 16384,
                                                (row * P::CLUSTER + P::rank()) * P::BM + consumer * 64, col * P::BN,
                                                thread);
        }
        if (thread % 32 == 0) ptx::wait_for_reads_of_stores<0>();
    }
    P::wait_for_all();
}

/// The products of a batch as TMA sees them: for each operand a map of many matrices. One product is a map of one.
struct Mapped {
    Depth a, b, c;

    bool fits(const Call& call) {
        return depth_of(a_of(call), a) && depth_of(b_of(call), b) && depth_of(c_of(call), c);
    }
};

template <class P, class T, Major b_major>
Status start(const Call& call, const AlignedRows& a, const AlignedRows& b, const Mapped& mapped, int group) {
    const int m = static_cast<int>(call.m()), n = static_cast<int>(call.n());
    const Type narrow = call.a.type;
    CUtensorMap a_map, b_map, c_map{};
    constexpr int a_rows = P::BM, b_rows = P::b_share;
    const int deep = products_of(call) > 1;  // one product is quicker by maps of two dimensions
    const BoxedMatrix a_boxes{a.data,        narrow, call.k(), m, a.step * 2, 64, a_rows, deep * mapped.a.extent,
                              mapped.a.bytes};
    const BoxedMatrix b_boxes =
        b_major == Major::k
            ? BoxedMatrix{b.data, narrow, call.k(), n, b.step * 2, 64, b_rows, deep * mapped.b.extent, mapped.b.bytes}
            : BoxedMatrix{b.data, narrow, n, call.k(), b.step * 2, 64, 64, deep * mapped.b.extent, mapped.b.bytes};
    if (const Status bad = describe(a_map, a_boxes); !bad) return bad;
    if (const Status bad = describe(b_map, b_boxes); !bad) return bad;
    const auto size = static_cast<std::int64_t>(size_of(call.c.type));
    const bool by_box = goes_by_box(call) && reinterpret_cast<std::uintptr_t>(mapped.c.first) % 16 == 0;
    const BoxedMatrix c_boxes{
        mapped.c.first,         call.c.type,   n, m, call.c.row_step * size, static_cast<int>(128 / size), 16,
        deep * mapped.c.extent, mapped.c.bytes};
    if (by_box)
        if (const Status bad = describe(c_map, c_boxes); !bad) return bad;

    Depths depths{nullptr, static_cast<int>(products_of(call)), mapped.a.extent > 1, mapped.b.extent > 1,
                  mapped.c.extent > 1};
    if (const Status bad = place_depths(call, mapped.a, mapped.b, mapped.c, depths); !bad) return bad;
    const Output out{mapped.c.first,
                     call.c.row_step,
                     call.c.col_step,
                     m,
                     n,
                     static_cast<float>(call.alpha),
                     static_cast<float>(call.beta),
                     call.c.type == Type::f32,
                     call.c.col_step == 1,
                     by_box,
                     fused(call.epilogue),
                     mapped.c.bytes,
                     call.batch ? call.batch->residual_step * size : 0};
    const Raster one{static_cast<int>(tiles_over(m, P::BM * P::CLUSTER)), static_cast<int>(tiles_over(n, P::BN)),
                     group};
    const BatchRaster raster{one, depths.size, depths};
    const int steps = static_cast<int>(tiles_over(call.k(), 64)), fit = multiprocessors() / P::CLUSTER;
    const auto blocks = static_cast<unsigned>((raster.count() < fit ? raster.count() : fit) * P::CLUSTER);
    return launch(
        async_pipeline<P, T, b_major>,
        {.blocks = blocks, .threads = P::threads, .shared = P::shared, .cluster = P::CLUSTER, .overlaps = true},
        call.stream, a_map, b_map, c_map, out, raster, steps);
}

template <class P, class T>
Status run_with(const Call& call, int group) {
    AlignedRows a, b;
    bool possible;
    Mapped mapped;
    mapped.fits(call);
    Call first = call;
    first.a.data = mapped.a.first, first.b.data = mapped.b.first;
    if (const Status bad = align_operands(first, a, b, possible); !bad) return bad;
    if (!possible) return run_plainly(call);
    return b.across ? start<P, T, Major::other>(call, a, b, mapped, group)
                    : start<P, T, Major::k>(call, a, b, mapped, group);
}

using Large = Shape<128, 256, 4, 2>;
using Middle = Shape<128, 128, 6, 2>;
using Little = Shape<128, 64, 8, 1>;

bool suits_large(const Call& call) { return call.c.col_step == 1 && call.beta == 0 && !call.epilogue.residual.data; }

template <class T>
Status run_fused(const Call& given, const Tile& tile) {
    const bool from_other_side = given.c.col_step != 1 && given.c.row_step == 1 && !given.epilogue.bias;
    const Call call = from_other_side ? across(given) : given;
    const bool chosen = tile == Tile{}, large = suits_large(call);
    const int columns = chosen ? sm90::r9_columns(sm90::sizes_of(call), large) : tile.n, group = chosen ? 8 : tile.k;
    if (columns == Large::BN && large) return run_with<Large, T>(call, group);
    return columns >= Middle::BN ? run_with<Middle, T>(call, group) : run_with<Little, T>(call, group);
}

template <class T>
Status run(const Call& call, const Tile& tile) {
    return with_epilogue(call, [&](const Call& one) { return run_fused<T>(one, tile); });
}

double nanoseconds(const Problem& p, int) { return nanoseconds_at(p, 750, 128, 256); }

/// All products as TMA can describe them by one map.
bool takes_batch(const Call& call) {
    Mapped mapped;
    return cuda::takes_batch(call) && call.c.col_step == 1 && mapped.fits(call) && is_aligned(call.a, mapped.a.first) &&
           (is_aligned(call.b, mapped.b.first) || is_aligned(call.b.transposed(), mapped.b.first));
}

constexpr Batching batching{takes_batch, places_bytes};

/// m and n of a block; k: how many rows of tiles are walked together (Raster).
constexpr Tile tiles[] = {{}, {128, 256, 8}, {128, 256, 4}, {128, 256, 16}, {128, 128, 8}, {128, 64, 8}};

template <class T>
constexpr Kernel row(const char* name, Type in, Type out) {
    return {.name = name,
            .rung = Rung::async_pipeline,
            .in = in,
            .out = out,
            .sum = Type::f32,
            .scheme = &plain_f32,
            .needs = feature::sm90a,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "one thread feeds a ring of tiles by TMA, two warpgroups only multiply, blocks persist",
            .takes = fits_ints,
            .sum_bound = matrix_unit_sum_bound,
            .nanoseconds = nanoseconds,
            .scratch_bytes = aligned_bytes,
            .run = run<T>,
            .order = matrix_unit_order,
            .batching = &batching};
}

}  // namespace

constinit const Kernel r9_async_pipeline_bf16 =
    row<__nv_bfloat16>("cuda.r9_async_pipeline.bf16", Type::bf16, Type::bf16);
constinit const Kernel r9_async_pipeline_bf16_f32 =
    row<__nv_bfloat16>("cuda.r9_async_pipeline.bf16.f32", Type::bf16, Type::f32);
constinit const Kernel r9_async_pipeline_f16 = row<__half>("cuda.r9_async_pipeline.f16", Type::f16, Type::f16);
constinit const Kernel r9_async_pipeline_f16_f32 = row<__half>("cuda.r9_async_pipeline.f16.f32", Type::f16, Type::f32);

}  // namespace tw::cuda
