// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_dense: y = W v with the values as they were given, input after input: a cluster of blocks has a tile of 256 outputs and cuts
// its inputs into equal runs; a warp reads a whole row of the tile, a lane eight neighbouring outputs of it.
//
//                      256 outputs                        sums of warps, then of blocks, each in order
//   block 0, warp w  |lane 0: 8|lane 1: 8| ...  row w, w + 8, ..      --+
//   block 1, warp w  |lane 0: 8|lane 1: 8| ...                        --+->  y
//
// It begins when the kernel in front has ended: blocks that come earlier lie unevenly, and on an H200 the product took longer.
// The first rows are asked for in front of everything else: the wait, which has nothing to wait for, keeps them there.
// Needs: sm_80; clusters with sm_90, before it a block has all inputs of its tile. 2mk flops, m = 1, for 2 k (4 k) bytes an output.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/effort.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 8, threads = 32 * warps, outputs = 256, of_lane = outputs / 32;

struct Desk {
    float of_warp[warps][outputs];
    float of_block[outputs];
};

/// Eight neighbouring values.
template <class T>
struct Eight {
    static constexpr int vectors = sizeof(T) / 2;
    uint4 bits[vectors];

    __device__ void load(const T* from) {
#pragma unroll
        for (int x = 0; x < vectors; ++x) bits[x] = __ldcs(reinterpret_cast<const uint4*>(from) + x);
    }
    __device__ float value(int o) const {
        if constexpr (sizeof(T) == 4) {
            const uint4 x = bits[o / 4];
            return __uint_as_float(o % 4 == 0 ? x.x : o % 4 == 1 ? x.y : o % 4 == 2 ? x.z : x.w);
        } else {
            const unsigned word = o / 2 == 0 ? bits[0].x : o / 2 == 1 ? bits[0].y : o / 2 == 2 ? bits[0].z : bits[0].w;
            const auto half = static_cast<unsigned short>(o % 2 ? word >> 16 : word & 0xffffu);
            if constexpr (std::is_same_v<T, __half>) return __half2float(__ushort_as_half(half));
            else return __uint_as_float(static_cast<unsigned>(half) << 16);
        }
    }
};

template <class T, int ranks>
__global__ void __launch_bounds__(threads) dense(const __grid_constant__ Work w) {
    constexpr int ahead = sizeof(T) == 2 ? 8 : 4;  // rows that a warp has asked for
    __shared__ Desk desk;
    const int rank = ptx::own_rank<ranks>(), cluster = static_cast<int>(blockIdx.x) / ranks;
    const int tile = cluster % w.m.dense_tiles, product = cluster / w.m.dense_tiles;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, inputs = w.m.inputs;
    const int share = (inputs + ranks - 1) / ranks, begin = min(inputs, rank * share), end = min(inputs, begin + share);
    const T* rows = reinterpret_cast<const T*>(w.m.dense) +
                    (static_cast<std::int64_t>(w.experts[product]) * w.m.dense_tiles + tile) * inputs * outputs + of_lane * lane;
    const float* v = w.v + product * w.v_step;
    float sums[of_lane] = {};
    Eight<T> row[ahead];
#pragma unroll
    for (int r = 0; r < ahead; ++r) row[r].load(rows + static_cast<std::int64_t>(min(begin + warp + r * warps, inputs - 1)) * outputs);
    ptx::wait_for_kernel_before();
    for (int first = begin + warp; first < end; first += ahead * warps) {
        float x[ahead];
#pragma unroll
        for (int r = 0; r < ahead; ++r) x[r] = first + r * warps < end ? v[first + r * warps] : 0.f;
#pragma unroll
        for (int r = 0; r < ahead; ++r) {
#pragma unroll
            for (int o = 0; o < of_lane; ++o) sums[o] = fmaf(x[r], row[r].value(o), sums[o]);
            const int next = first + (ahead + r) * warps;
            if (next < end) row[r].load(rows + static_cast<std::int64_t>(next) * outputs);
        }
    }
    ptx::let_next_kernel_begin();  // its blocks find room as this one's end
#pragma unroll
    for (int o = 0; o < of_lane; ++o) desk.of_warp[warp][of_lane * lane + o] = sums[o];
    __syncthreads();
    const int own = static_cast<int>(threadIdx.x);
    float sum = 0;
#pragma unroll
    for (int x = 0; x < warps; ++x) sum += desk.of_warp[x][own];
    desk.of_block[own] = sum;
    ptx::sync_ranks<ranks>();
    constexpr int of_rank = outputs / ranks;
    const int o = rank * of_rank + own, to = tile * outputs + o;
    if (own < of_rank && to < w.m.outputs) {
        sum = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) sum += ptx::read_float_in(desk.of_block + o, r);
        w.y[product * w.y_step + to] = sum;
    }
    ptx::sync_ranks<ranks>();
}

template <class T, int ranks>
Status start(const Work& w, int products, void* stream) {
    const auto blocks = static_cast<unsigned>(products * w.m.dense_tiles * ranks);
    return launch(dense<T, ranks>, {.blocks = blocks, .threads = threads, .cluster = ranks}, stream, w);
}

template <class T>
Status start(const Work& w, int products, bool has_clusters, void* stream) {
    constexpr int enough_tiles = 32;  // for half a cluster each
    if (!has_clusters) return start<T, 1>(w, products, stream);
    return products * w.m.dense_tiles >= enough_tiles ? start<T, 4>(w, products, stream) : start<T, 8>(w, products, stream);
}

}  // namespace

Status start_dense(const Work& w, int products, bool has_clusters, void* stream) {
    if (w.m.type == Type::f32) return start<float>(w, products, has_clusters, stream);
    return w.m.type == Type::f16 ? start<__half>(w, products, has_clusters, stream) : start<__nv_bfloat16>(w, products, has_clusters, stream);
}

}  // namespace tw::cuda::effort
