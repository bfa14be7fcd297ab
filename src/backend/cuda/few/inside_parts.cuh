// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_steps's and few_steps_mma's parts of k by the blocks of a cluster: each sums its own, and adds up what all of
// them have of some of the tile's rows.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/few/inside_stage.cuh"
#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda::inside {

/// A block's tile, and its part of k: whole stages, but the last.
struct PartOf {
    int parts, part, row, col, first, end;

    __device__ PartOf(const TileGrid& grid, int all_parts, int k) : parts(all_parts) {
        const int tile = static_cast<int>(blockIdx.x) / parts;
        part = static_cast<int>(blockIdx.x) % parts;
        row = tile / grid.across, col = tile % grid.across;
        const int each = (k + BK * parts - 1) / (BK * parts) * BK;
        first = min(k, part * each), end = min(k, first + each);
    }
};

/// A tile's rows that a block finishes, where it keeps them.
struct Share {
    std::uint32_t kept;
    int first, rows;
    bool finite;
};

/// By all threads of all blocks. `out` ends behind the share's rows.
template <class S>
__device__ Share add_parts(std::uint32_t tile, const PartOf& of, int first_row, bool finite, Output& out) {
    constexpr int lanes = S::N / 4;
    if (of.parts == 1) return {tile, 0, S::BM, finite};
    const int rows = S::BM / of.parts, first = of.part * rows;
    ptx::sync_cluster();
    float odd = 0;
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < rows * lanes; x += S::threads) {
        const std::uint32_t at = tile + (first + x / lanes) * S::row_bytes + x % lanes * 16;
        float sums[4] = {};
#pragma unroll 4
        for (int part = 0; part < of.parts; ++part) {
            std::uint32_t its[4];
            ptx::read_in(at, part, its);
#pragma unroll
            for (int i = 0; i < 4; ++i) sums[i] += __uint_as_float(its[i]);
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) odd = fmaf(sums[i], 0, odd);
        ptx::store_pair(at, sums[0], sums[1]), ptx::store_pair(at + 8, sums[2], sums[3]);
    }
    ptx::arrive_at_cluster();
    out.rows = min(out.rows, first_row + first + rows);
    return {tile + first * S::row_bytes, first, rows, odd == 0};
}

/// A share's sums that are not finite, once more: by of(row, column) of the tile.
template <class S, class Of>
__device__ void make_tile_again(const Share& share, int first_row, int first_col, const Output& out, const Of& of) {
    const int rows = min(share.rows, out.rows - first_row - share.first), cols = min(S::N, out.cols - first_col);
#pragma unroll 1
    for (int x = static_cast<int>(threadIdx.x); x < rows * S::N; x += S::threads) {
        const int i = x / S::N, j = x % S::N;
        const std::uint32_t at = share.kept + i * S::row_bytes + j * 4;
        if (j < cols && !isfinite(ptx::load_float(at))) ptx::store_float(at, of(share.first + i, j));
    }
    __syncthreads();
}

}  // namespace tw::cuda::inside
