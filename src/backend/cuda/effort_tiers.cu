// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_tiers: effort_buckets for values as they were given: a mask of 16 bits says which outputs of a bucket the four values of
// a tier belong to.
//
//      unit of an input: 32 masks, 32 x 4 values        sums[position][lane]
//   |m|m|m| .. |m|  |wwww|wwww| .. |wwww|      ->      |  |+=|  |  | .. |  |
//
// Needs: sm_80. Counts, for E entries with R units in all, s bytes a value: loads 32 R (2 + 4 s) + 12 E; stores 2 KB.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/effort.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 4, threads = 32 * warps, tiers = 4;

template <class T>
struct Four {
    std::conditional_t<sizeof(T) == 4, uint4, uint2> bits;

    __device__ float value(int r) const {
        if constexpr (sizeof(T) == 4) return __uint_as_float(r == 0 ? bits.x : r == 1 ? bits.y : r == 2 ? bits.z : bits.w);
        else {
            const unsigned word = r < 2 ? bits.x : bits.y;
            const auto half = static_cast<unsigned short>(r % 2 ? word >> 16 : word & 0xffffu);
            if constexpr (std::is_same_v<T, __half>) return __half2float(__ushort_as_half(half));
            else return __uint_as_float(static_cast<unsigned>(half) << 16);
        }
    }
};

template <class T>
__global__ void __launch_bounds__(threads) multiply_tiers(const __grid_constant__ Work w) {
    constexpr int unit_bytes = 32 * (2 + 4 * static_cast<int>(sizeof(T)));
    __shared__ float sums[warps][16][32];
    __shared__ bool is_last;
    const Place at(w);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    float(&mine)[16][32] = sums[warp];
    ptx::let_next_kernel_begin();
#pragma unroll
    for (int position = 0; position < 16; ++position) mine[position][lane] = 0;
    const std::byte* tile = tile_of(w, at);
    ptx::wait_for_kernel_before();

    const EffortChosenOnDevice chosen = w.chosen[at.product];
    const int all = static_cast<int>(chosen.entries), first = at.chunk * chunk;
    if (first > 0 && first >= all) return;
    EntriesOfWarp(w, at, all).each([&](std::int64_t input, int units, float v) {
        const std::byte* unit = tile + input * (tiers * unit_bytes);
        unsigned mask[tiers];
        Four<T> four[tiers];
#pragma unroll
        for (int tier = 0; tier < tiers; ++tier)
            if (tier < units) {
                mask[tier] = __ldg(reinterpret_cast<const std::uint16_t*>(unit + tier * unit_bytes) + lane);
                four[tier].bits = __ldg(reinterpret_cast<const decltype(four[tier].bits)*>(unit + tier * unit_bytes + 64) + lane);
            }
#pragma unroll
        for (int tier = 0; tier < tiers; ++tier)
            if (tier < units) {
#pragma unroll
                for (int r = 0; r < 4; ++r) {
                    float& sum = mine[(__ffs(static_cast<int>(mask[tier])) - 1) & 15][lane];  // no bit: a bucket of zeros that fills up the tile
                    sum = fmaf(v, four[tier].value(r), sum);
                    mask[tier] &= mask[tier] - 1;
                }
            }
    });
    __syncthreads();
    write_partial(w, at, sums);
    finish_tile<threads>(w, at, max(1, (all + chunk - 1) / chunk), chosen.factor, &is_last);
}

template <class T>
Status start(const Work& w, int products, void* stream) {
    const auto blocks = static_cast<unsigned>(products * w.m.tiles * w.chunks);
    return launch(multiply_tiers<T>, {.blocks = blocks, .threads = threads, .overlaps = true}, stream, w);
}

}  // namespace

Status start_tiers(const Work& w, int products, void* stream) {
    if (w.m.type == Type::f32) return start<float>(w, products, stream);
    return w.m.type == Type::f16 ? start<__half>(w, products, stream) : start<__nv_bfloat16>(w, products, stream);
}

}  // namespace tw::cuda::effort
