// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_buckets: the seeds' bucketMul. A block multiplies one tile of 32 buckets by 128 entries; each of its warps takes 32 of them, a
// bucket a lane. A word's low bits say which output of the bucket it belongs to; a lane has its sums in shared memory, a column of its
// own, so that any position costs the same and no two lanes meet. The words of an entry have different positions: their sums are
// read together before any is written.
//
//      unit of an input: 32 words           sums[position][lane]
//   |w|w|w|w|w|w|w|w| .. |w|      ->      |  |+=|  |  |  | .. |  |
//
// Needs: sm_80. Counts, for E entries with R units in all and buckets of B outputs: loads 64 R + 12 E; stores 128 B.
#include <cuda_fp16.h>

#include "backend/cuda/effort.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 4, threads = 32 * warps, at_once = 8;

template <int bucket>
__global__ void __launch_bounds__(threads) buckets(const __grid_constant__ Work w) {
    __shared__ float sums[warps][bucket][32];
    __shared__ bool is_last;
    const Place at(w);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    float(&mine)[bucket][32] = sums[warp];
    ptx::let_next_kernel_begin();
#pragma unroll
    for (int position = 0; position < bucket; ++position) mine[position][lane] = 0;
    const auto* words = reinterpret_cast<const std::uint16_t*>(tile_of(w, at)) + lane;
    const unsigned kept = w.m.masking ? 0xffffu & ~(bucket - 1u) : 0xffffu;
    ptx::wait_for_kernel_before();

    const EffortChosenOnDevice chosen = w.chosen[at.product];
    const int all = static_cast<int>(chosen.entries), first = at.chunk * chunk;
    if (first > 0 && first >= all) return;
    EntriesOfWarp(w, at, all).each([&](std::int64_t input, int units, float v) {
        const std::uint16_t* row = words + input * (bucket * 32);
        for (int from = 0; from < units; from += at_once) {
            unsigned word[at_once];
            float sum[at_once];
#pragma unroll
            for (int x = 0; x < at_once; ++x) word[x] = from + x < units ? __ldg(row + (from + x) * 32) : 0;
#pragma unroll
            for (int x = 0; x < at_once; ++x)
                if (from + x < units) {
                    const float weight = __half2float(__ushort_as_half(static_cast<unsigned short>(word[x] & kept)));
                    sum[x] = fmaf(v, weight, mine[word[x] & (bucket - 1)][lane]);
                }
#pragma unroll
            for (int x = 0; x < at_once; ++x)
                if (from + x < units) mine[word[x] & (bucket - 1)][lane] = sum[x];
        }
    });
    __syncthreads();
    write_partial(w, at, sums);
    finish_tile<threads>(w, at, max(1, (all + chunk - 1) / chunk), chosen.factor, &is_last);
}

template <int bucket>
Status start(const Work& w, int products, void* stream) {
    const auto blocks = static_cast<unsigned>(products * w.m.tiles * w.chunks);
    return launch(buckets<bucket>, {.blocks = blocks, .threads = threads, .overlaps = true}, stream, w);
}

}  // namespace

Status start_buckets(const Work& w, int products, void* stream) {
    return w.m.bucket == 8 ? start<8>(w, products, stream) : w.m.bucket == 16 ? start<16>(w, products, stream) : start<32>(w, products, stream);
}

}  // namespace tw::cuda::effort
