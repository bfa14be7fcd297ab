// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a warp of few_rows_fma_async does with its share of a stage: f32 products of the few rows and of weights whose
// k, or whose other direction, is contiguous, and the sums over its lanes.
#pragma once

#include "backend/cuda/few/lane_sums.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda::fma_share {

inline constexpr int warps = 8, multiplying = 32 * warps, threads = multiplying + 32;
inline constexpr int most_stages = 16;

/// along: the weights' k is contiguous. M: rows of A, at most.
template <bool along_, int M_>
struct Cut {
    static constexpr bool along = along_;
    /// Along k 8 rows for 16 of A would spill.
    static constexpr int M = M_, BN = !along ? 32 : M > 8 ? 4 : 8, BK = along ? 1024 : 128;
    static constexpr int box = along ? 256 : BK;  ///< of k: the longest that TMA takes
    static constexpr int sums = along ? BN * M : 4 * M, results = BN * M;
    static constexpr int w_bytes = BN * BK * 4, results_bytes = warps * results * 4;
    /// Two blocks share a multiprocessor, of this product or of the next, where they have the registers for it.
    static constexpr int ring_bytes = (M <= 4 ? 90 : along ? 200 : 150) * 1024;
};

/// A warp's share of a stage.
template <class C>
__device__ void multiply(float (&sums)[C::sums], std::uint32_t stage, int tokens, int warp, int lane) {
    if constexpr (C::along) {
        const std::uint32_t own = warp % 2 * 512 + lane * 16, at = stage + warp / 2 * C::BN * 1024 + own,
                            of_tokens = stage + C::w_bytes + warp / 2 * tokens * 1024 + own;
        float4 w[C::BN];
#pragma unroll
        for (int r = 0; r < C::BN; ++r) w[r] = ptx::load_4(at + r * 1024);
#pragma unroll
        for (int i = 0; i < C::M; ++i) {
            if (i >= tokens) break;
            const float4 t = ptx::load_4(of_tokens + i * 1024);
#pragma unroll
            for (int r = 0; r < C::BN; ++r) {
                float& sum = sums[r * C::M + i];
                sum = fmaf(t.w, w[r].w, fmaf(t.z, w[r].z, fmaf(t.y, w[r].y, fmaf(t.x, w[r].x, sum))));
            }
        }
    } else {
        const int k = warp * 16 + lane / 8 * 4;
        const std::uint32_t at = stage + k * 128 + lane % 8 * 16, of_tokens = stage + C::w_bytes + k * 4;
        float4 w[4];
#pragma unroll
        for (int e = 0; e < 4; ++e) w[e] = ptx::load_4(at + e * 128);
#pragma unroll
        for (int i = 0; i < C::M; ++i) {
            if (i >= tokens) break;
            const float4 t = ptx::load_4(of_tokens + i * C::BK * 4);
            const float of_k[4] = {t.x, t.y, t.z, t.w};
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                sums[4 * i] = fmaf(of_k[e], w[e].x, sums[4 * i]);
                sums[4 * i + 1] = fmaf(of_k[e], w[e].y, sums[4 * i + 1]);
                sums[4 * i + 2] = fmaf(of_k[e], w[e].z, sums[4 * i + 2]);
                sums[4 * i + 3] = fmaf(of_k[e], w[e].w, sums[4 * i + 3]);
            }
        }
    }
}

/// The lanes' sums, at [row of weights][token] or [token][column].
template <class C>
__device__ void keep(float (&sums)[C::sums], float* of_warp, int lane) {
    if constexpr (C::along) {
        const int first = sum_over_lanes(sums);
#pragma unroll
        for (int e = 0; e < (C::sums + 31) / 32; ++e) of_warp[first + e] = sums[e];
    } else {
#pragma unroll
        for (int e = 0; e < C::sums; ++e) {
            float sum = sums[e] + __shfl_xor_sync(~0u, sums[e], 8);
            sum += __shfl_xor_sync(~0u, sum, 16);
            if (lane < 8) of_warp[e / 4 * C::BN + lane * 4 + e % 4] = sum;
        }
    }
}

}  // namespace tw::cuda::fma_share
