// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From eight warps' sums of a whole tile, each over its own slice of k and all in shared memory, to C: added by a tree
// of pairs, by all threads of the block.
#pragma once

#include "backend/cuda/epilogue/element.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::sliced {

/// by_4: C is read and written 16 bytes at a time, with alpha and beta alone.
struct Ending {
    Output out;
    bool by_4;
};

__device__ inline float tree(const float (&of)[8]) {
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
}

/// S: the tile. mend(sum, i, j) is what becomes of a sum of the warps' before alpha.
template <class S, class Mend>
__device__ void finish_by_4(const Output& out, std::uint32_t base, int first_row, int first_col, const Mend& mend) {
    constexpr int across = S::BN / 4, each = S::BM * across / S::threads;
    float4 before[each] = {};
    const auto place = [&](int e, int& i, int& j) {
        const int x = static_cast<int>(threadIdx.x) + e * S::threads;
        i = first_row + x / across, j = first_col + x % across * 4;
        return i < out.rows && j < out.cols;
    };
    const auto at = [&](int i, int j) {
        return reinterpret_cast<float4*>(static_cast<float*>(out.data) + i * out.row_step + j);
    };
    int i, j;
    if (out.beta != 0)
#pragma unroll
        for (int e = 0; e < each; ++e)
            if (place(e, i, j)) before[e] = *at(i, j);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < each; ++e) {
        if (!place(e, i, j)) continue;
        float4 of[8];
#pragma unroll
        for (int w = 0; w < 8; ++w)
            of[w] = ptx::load_4(base + w * S::sums_bytes + ((i - first_row) * S::c_pitch + j - first_col) * 4);
        const auto one = [&](float float4::* x, int col) {
            float all[8];
#pragma unroll
            for (int w = 0; w < 8; ++w) all[w] = of[w].*x;
            const float sum = __fmul_rn(mend(tree(all), i, col), out.alpha);
            return out.beta == 0 ? sum : fmaf(out.beta, before[e].*x, sum);
        };
        *at(i, j) = {one(&float4::x, j), one(&float4::y, j + 1), one(&float4::z, j + 2), one(&float4::w, j + 3)};
    }
}

template <class S, class Mend>
__device__ void finish_by_1(const Output& out, std::uint32_t base, int first_row, int first_col, const Mend& mend) {
    __syncthreads();
    const bool down = out.col_step != 1;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < S::BM * S::BN; x += S::threads) {
        const int i = down ? x % S::BM : x / S::BN, j = down ? x / S::BM : x % S::BN;
        if (first_row + i >= out.rows || first_col + j >= out.cols) continue;
        float all[8];
#pragma unroll
        for (int w = 0; w < 8; ++w) all[w] = ptx::load_float(base + w * S::sums_bytes + (i * S::c_pitch + j) * 4);
        const float sum = mend(tree(all), first_row + i, first_col + j);
        finish_element<float, float>(sum, out, first_row + i, first_col + j, false);
    }
}

template <class S, class Mend>
__device__ void finish(const Ending& ending, std::uint32_t base, int first_row, int first_col, const Mend& mend) {
    if (ending.by_4) finish_by_4<S>(ending.out, base, first_row, first_col, mend);
    else finish_by_1<S>(ending.out, base, first_row, first_col, mend);
}

}  // namespace tw::cuda::sliced
