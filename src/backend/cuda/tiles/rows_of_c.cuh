// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How tiles of doubles reach C by way of shared memory, whole rows of them at a time.
#pragma once

#include "backend/cuda/operands/product.cuh"

namespace tw::cuda {

inline __device__ bool goes_by_rows(const Product<double>& p, bool c_in_pairs) {
    return p.c.layout.col_step == 1 && !c_in_pairs;
}
/// Doubles from row to row there. The largest tile's stages have no room for more.
template <class S>
inline constexpr int staged_pitch = S::BN + (S::BM < 128 ? 8 : 2);
/// The same by way of shared memory: a C whose rows begin at odd places is written 32 neighbours at a time, where pairs
/// would write every other one, twice.
template <class S>
__device__ void store_tile_by_rows(const Product<double>& p, int2 tile, const double (&pairs)[S::sums][2],
                                   double* staged) {
    constexpr int pitch = staged_pitch<S>, warps = S::threads / 32, at_once = 4, halves = S::BN / 32;
    __syncthreads();  // the stages have been read by all threads
#pragma unroll
    for (int q = 0; q < S::sums; ++q)
        *reinterpret_cast<double2*>(staged + S::row_of(q) * pitch + S::col_of(q)) =
            make_double2(pairs[q][0], pairs[q][1]);
    __syncthreads();
    const int lane = static_cast<int>(threadIdx.x) % 32, first_row = tile.x * S::BM, first_col = tile.y * S::BN,
              rows = min(S::BM, static_cast<int>(p.c.rows()) - first_row),
              cols = static_cast<int>(p.c.cols()) - first_col - lane;
#pragma unroll 1
    for (int first = static_cast<int>(threadIdx.x) / 32; first < rows; first += warps * at_once) {
        const auto each = [&](const auto& visit) {
#pragma unroll
            for (int x = 0; x < at_once * halves; ++x) {
                const int row = first + x / halves * warps, col = x % halves * 32;
                if (row < rows && col < cols)
                    visit(x, p.c(first_row + row, first_col + lane + col), staged[row * pitch + lane + col]);
            }
        };
        double old[at_once * halves] = {};
        if (p.beta != 0) each([&](int x, const double& c, double) { old[x] = c; });
        each([&](int x, double& c, double sum) {
            const double scaled = p.alpha * sum;
            c = p.beta != 0 ? fma(p.beta, old[x], scaled) : scaled;
        });
    }
}

}  // namespace tw::cuda
