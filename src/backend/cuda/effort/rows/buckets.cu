// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_buckets: the seeds' bucketMul. A row of a tile has 1024 / B words, a lane 32 / B neighbouring ones. A word's
// low bits say which output of its bucket it belongs to: they are put into the address of the lane's sum.
//
//      a row: a lane's words                        sums[position][word][lane]
//   |w w|w w|w w|w w|w w| .. |w w|        ->      |  |+=|  |  |  | .. |  |
//
// Needs: sm_80. Counts, for R rows and I inputs: loads 2 KB / B R a tile and 8 I a block; stores 4 KB a block.
#include <cuda_fp16.h>

#include "backend/cuda/effort/rows/product.cuh"

namespace tw::cuda::effort {
namespace {

template <int bucket>
struct Words {
    static constexpr int units = bucket, bytes = on_device::Rows::bytes_of_rank(bucket), buckets_of_lane = 32 / bucket;
    static constexpr int together = bucket / 4, copies = 1, arrays = 1, stages = 4, most_rows = 5632;
    static constexpr bool in_turns =
        true;  ///< a block's warps take rows in turns, so that rows in flight are contiguous
    std::conditional_t<bucket == 8, uint2, std::conditional_t<bucket == 16, unsigned, std::uint16_t>> bits;

    /// Where piece `piece` of 16 bytes of a row is; pieces without outputs repeat others.
    __device__ static int place_of(int piece, int lanes) {
        return 16 * min(piece, (2 * buckets_of_lane * lanes - 1) / 16);
    }
    /// A mask for two words: the position is masked off, or read as part of the value.
    __device__ static unsigned how(const Params& w) {
        const unsigned kept = w.m.masking ? 0xffffu & ~(bucket - 1u) : 0xffffu;
        return kept << 16 | kept;
    }
    __device__ void read(const std::byte* row, int lane) { bits = reinterpret_cast<const decltype(bits)*>(row)[lane]; }

    __device__ unsigned pair(int x) const {
        if constexpr (bucket == 8) return x == 0 ? bits.x : bits.y;
        else return bits;
    }
    __device__ void add(float v, std::uint32_t mine, unsigned kept) const {
        constexpr int shift = bucket == 8 ? 9 : bucket == 16 ? 8 : 7;  // a position's sums are 128 bytes a word apart
        std::uint32_t address[buckets_of_lane];
#pragma unroll
        for (int x = 0; x < buckets_of_lane; ++x) {
            const unsigned two = pair(x / 2), moved = x % 2 ? two >> (16 - shift) : two << shift;
            address[x] = (moved & ((bucket - 1u) << shift) | mine) + 128 * x;
        }
#pragma unroll
        for (int x = 0; x < buckets_of_lane; ++x) {
            const unsigned two = pair(x / 2) & kept;
            const __half2 halves = *reinterpret_cast<const __half2*>(&two);
            ptx::add(address[x],
                     static_cast<unsigned>(__float2int_rn(v * (x % 2 ? __high2float(halves) : __low2float(halves)))));
        }
    }
};

template <int bucket, int ranks>
__global__ void __launch_bounds__(row_kernels::threads, row_kernels::blocks_at_once<true>)
    buckets(const __grid_constant__ Params w) {
    if (ptx::is_launched<ranks>) row_kernels::multiply<Words<bucket>, ranks>(w);
}

template <int bucket, int ranks>
Status start(const Params& w, int products, void* stream) {
    const auto blocks = static_cast<unsigned>(products * w.blocks);
    return launch(buckets<bucket, ranks>,
                  {.blocks = blocks,
                   .threads = row_kernels::threads,
                   .shared = row_kernels::shared_bytes<Words<bucket>>,
                   .cluster = ranks,
                   .overlaps = true},
                  stream, w);
}

template <int bucket>
Status start(const Params& w, int products, void* stream) {
    if constexpr (bucket == 16)
        if (w.ranks > 1) return start<bucket, row_kernels::most_ranks>(w, products, stream);
    return start<bucket, 1>(w, products, stream);
}

}  // namespace

int ranks_of_rows(int inputs) { return inputs > row_kernels::inputs_for_one ? row_kernels::most_ranks : 1; }

Status start_buckets(const Params& w, int products, void* stream) {
    return w.m.bucket == 8    ? start<8>(w, products, stream)
           : w.m.bucket == 16 ? start<16>(w, products, stream)
                              : start<32>(w, products, stream);
}

}  // namespace tw::cuda::effort
