// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_tiers: like effort_buckets, with the weights as given: beside the four values of a tier, 16 bits hold their
// positions in the bucket, four bits each. A lane has two neighbouring buckets.
//
//      a row: 64 x 4 positions, 64 x 4 values         sums[position][bucket][lane]
//   |pppp|pppp| .. |wwww|wwww| .. |wwww|      ->      |  |+=|  |  | .. |  |
//
// Needs: sm_80. Counts, for R rows and I inputs, s bytes a value: loads 64 (2 + 4 s) R a tile and 8 I a block; stores 4
// KB a block.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/cuda/effort/rows/product.cuh"

namespace tw::cuda::effort {
namespace {

/// Two neighbouring buckets' values of one tier.
template <class T>
struct Fours {
    static constexpr int units = 4, bytes = on_device::Rows::bytes_of_tier(static_cast<int>(sizeof(T))),
                         buckets_of_lane = 2, bytes_of_values = 8 * static_cast<int>(sizeof(T));
    static constexpr int together = sizeof(T) == 4 ? 1 : 2, copies = 3, arrays = row_kernels::warps, stages = 2,
                         most_rows = 2048;
    static constexpr bool in_turns = false;  ///< each warp takes a run of consecutive rows
    unsigned positions;
    uint4 bits[sizeof(T) / 2];

    /// Where piece `piece` of 16 bytes of a row is; pieces without outputs repeat others.
    __device__ static int place_of(int piece, int lanes) {
        constexpr int of_positions = on_device::Rows::bytes_of_positions;
        return piece < of_positions / 16
                   ? 16 * min(piece, (4 * lanes - 1) / 16)
                   : of_positions + 16 * min(piece - of_positions / 16, bytes_of_values * lanes / 16 - 1);
    }
    __device__ static unsigned how(const Params&) { return 0; }
    __device__ void read(const std::byte* row, int lane) {
        positions = reinterpret_cast<const unsigned*>(row)[lane];
#pragma unroll
        for (int x = 0; x < static_cast<int>(sizeof(T)) / 2; ++x)
            bits[x] =
                reinterpret_cast<const uint4*>(row + on_device::Rows::bytes_of_positions + bytes_of_values * lane)[x];
    }
    __device__ static unsigned word(const uint4& of, int x) {
        return x == 0 ? of.x : x == 1 ? of.y : x == 2 ? of.z : of.w;
    }
    __device__ float value(int x) const {
        if constexpr (sizeof(T) == 4) return __uint_as_float(word(bits[x / 4], x % 4));
        else {
            const unsigned two = word(bits[0], x / 2);
            if constexpr (std::is_same_v<T, __half>) {
                const __half2 halves = *reinterpret_cast<const __half2*>(&two);
                return x % 2 ? __high2float(halves) : __low2float(halves);
            } else return __uint_as_float(x % 2 ? two & 0xffff0000u : two << 16);
        }
    }
    __device__ void add(float v, std::uint32_t mine, unsigned) const {
        std::uint32_t address[8];
        float sum[8];
#pragma unroll
        for (int x = 0; x < 8; ++x) {
            const int shift = 8 - 4 * x;  // a position's sums are 256 bytes apart
            const unsigned moved = shift >= 0 ? positions << shift : positions >> -shift;
            address[x] = (moved & 0xf00u | mine) + 128 * (x / 4);
        }
#pragma unroll
        for (int x = 0; x < 8; ++x) sum[x] = ptx::load_float(address[x]);
#pragma unroll
        for (int x = 0; x < 8; ++x) sum[x] = fmaf(v, value(x), sum[x]);
#pragma unroll
        for (int x = 0; x < 8; ++x) ptx::store_float(address[x], sum[x]);
    }
};

template <class T, int ranks>
__global__ void __launch_bounds__(row_kernels::threads, row_kernels::blocks_at_once<sizeof(T) != 4>)
    multiply_tiers(const __grid_constant__ Params w) {
    if (ptx::is_launched<ranks>) row_kernels::multiply<Fours<T>, ranks>(w);
}

template <class T, int ranks>
Status start(const Params& w, int products, void* stream) {
    const auto blocks = static_cast<unsigned>(products * w.blocks);
    return launch(multiply_tiers<T, ranks>,
                  {.blocks = blocks,
                   .threads = row_kernels::threads,
                   .shared = row_kernels::shared_bytes<Fours<T>>,
                   .cluster = ranks,
                   .overlaps = true},
                  stream, w);
}

template <class T>
Status start(const Params& w, int products, void* stream) {
    if constexpr (std::is_same_v<T, __half>)
        if (w.ranks > 1) return start<T, row_kernels::most_ranks>(w, products, stream);
    return start<T, 1>(w, products, stream);
}

}  // namespace

Status start_tiers(const Params& w, int products, void* stream) {
    if (w.m.type == Type::f32) return start<float>(w, products, stream);
    return w.m.type == Type::f16 ? start<__half>(w, products, stream) : start<__nv_bfloat16>(w, products, stream);
}

}  // namespace tw::cuda::effort
