// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_dense: y = W v with the weights as given, for matrices that are not large. A cluster of blocks has a tile of
// 256 outputs and cuts its inputs into equal runs; a warp reads a whole row of the tile, a lane eight neighbouring
// outputs.
//
//                      256 outputs                        sums of warps, then of blocks, each in order
//   block 0, warp w  |lane 0: 8|lane 1: 8| ...  row w, w + 8, ..      --+
//   block 1, warp w  |lane 0: 8|lane 1: 8| ...                        --+->  y
//
// Large matrices go to runs_sm90.cu: where clusters fill the device, those that start before the kernel before has
// ended are spread unevenly over the multiprocessors. The first rows are loaded before waiting for that kernel, since
// no kernel writes them. Needs: sm_80; clusters need sm_90, before it a block has all inputs of its tile. 2mk flops, m
// = 1, for 2 k (4 k) bytes an output.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/dense/dense.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 8, threads = 32 * warps, outputs = on_device::Dense::outputs, of_lane = outputs / 32;

struct SharedMemory {
    float of_warp[warps][outputs];
    float of_block[outputs];
};

template <class T, int ranks>
__global__ void __launch_bounds__(threads) dense(const __grid_constant__ Params w) {
    if (!ptx::is_launched<ranks>) return;
    constexpr int ahead = sizeof(T) == 2 ? 8 : 4;  // rows that a warp has in flight
    __shared__ SharedMemory shared;
    const int rank = ptx::own_rank<ranks>(), cluster = static_cast<int>(blockIdx.x) / ranks;
    const int tile = cluster % w.m.dense_tiles, product = cluster / w.m.dense_tiles;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, inputs = w.m.inputs;
    const int share = (inputs + ranks - 1) / ranks, begin = min(inputs, rank * share), end = min(inputs, begin + share);
    const T* rows = reinterpret_cast<const T*>(w.m.dense) +
                    (static_cast<std::int64_t>(w.experts[product]) * w.m.dense_tiles + tile) * inputs * outputs +
                    of_lane * lane;
    const float* v = w.v + product * w.v_step;
    float sums[of_lane] = {};
    Eight<T> row[ahead];
#pragma unroll
    for (int r = 0; r < ahead; ++r)
        row[r].load(rows + static_cast<std::int64_t>(min(begin + warp + r * warps, inputs - 1)) * outputs);
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    for (int first = begin + warp; first < end; first += ahead * warps) {
        float x[ahead];
#pragma unroll
        for (int r = 0; r < ahead; ++r) x[r] = first + r * warps < end ? __ldcg(v + first + r * warps) : 0.f;
#pragma unroll
        for (int r = 0; r < ahead; ++r) {
#pragma unroll
            for (int o = 0; o < of_lane; ++o) sums[o] = fmaf(x[r], row[r].value(o), sums[o]);
            const int next = first + (ahead + r) * warps;
            if (next < end) row[r].load(rows + static_cast<std::int64_t>(next) * outputs);
        }
    }
#pragma unroll
    for (int o = 0; o < of_lane; ++o) shared.of_warp[warp][of_lane * lane + o] = sums[o];
    __syncthreads();
    const int own = static_cast<int>(threadIdx.x);
    float sum = 0;
#pragma unroll
    for (int x = 0; x < warps; ++x) sum += shared.of_warp[x][own];
    shared.of_block[own] = sum;
    ptx::sync_ranks<ranks>();
    constexpr int of_rank = outputs / ranks;
    const int o = rank * of_rank + own, to = tile * outputs + o;
    if (own < of_rank && to < w.m.outputs) {
        sum = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) sum += ptx::read_float_in(shared.of_block + o, r);
        w.y[product * w.y_step + to] = sum;
    }
    ptx::sync_ranks<ranks>();
}

template <class T, int ranks>
Status start(const Params& w, int products, void* stream) {
    constexpr int portable = 8;
    if (ranks > portable) {
        const cudaError_t error = calls().kernel_attribute(reinterpret_cast<const void*>(&dense<T, ranks>),
                                                           cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        if (const Status bad = status_of(error, Step::prepare); !bad) return bad;
    }
    const auto blocks = static_cast<unsigned>(products * w.m.dense_tiles * ranks);
    return launch(dense<T, ranks>, {.blocks = blocks, .threads = threads, .cluster = ranks, .overlaps = ranks > 1},
                  stream, w);
}

template <class T>
Status start(const Params& w, int products, bool has_clusters, void* stream) {
    constexpr int enough_inputs = 512,
                  parts_of_device =
                      8;  // more than 8 parts of the device have 16 multiprocessors, which a cluster of 16 needs
    if (!has_clusters) return start<T, 1>(w, products, stream);
    return w.m.inputs >= enough_inputs && multiprocessors() > 16 * parts_of_device ? start<T, 16>(w, products, stream)
                                                                                   : start<T, 8>(w, products, stream);
}

/// The blocks that share a large matrix's rows, else 0. It depends only on the matrix and the device, as the bits do.
int blocks_of_runs(const EffortOnDevice& m) {
    constexpr std::int64_t large = 12 << 20;
    const std::int64_t bytes =
        std::int64_t{m.dense_tiles} * m.inputs * outputs * static_cast<std::int64_t>(size_of(m.type));
    const bool has_counters = most_products * multiprocessors() <= most_counters;
    return (features() & feature::sm90a) && has_counters && bytes >= large ? multiprocessors() : 0;
}

}  // namespace

std::size_t scratch_of_dense(const EffortOnDevice& m, int products) {
    constexpr std::size_t tiles_begun_before_or_after = 2;
    return static_cast<std::size_t>(products) * static_cast<std::size_t>(blocks_of_runs(m)) *
           tiles_begun_before_or_after * outputs * sizeof(float);
}

Status start_dense(const Params& w, int products, bool has_clusters, void* stream) {
    const bool is_batch = products > 1 && std::all_of(w.experts, w.experts + products,
                                                      [&](int expert) { return expert == w.experts[0]; });
    if (const int blocks = blocks_of_runs(w.m); blocks > 0)
        return start_dense_runs(w, products, is_batch, blocks, stream);
    if (w.m.type == Type::f32) return start<float>(w, products, has_clusters, stream);
    return w.m.type == Type::f16 ? start<__half>(w, products, has_clusters, stream)
                                 : start<__nv_bfloat16>(w, products, has_clusters, stream);
}

}  // namespace tw::cuda::effort
