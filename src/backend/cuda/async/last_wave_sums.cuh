// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The kernel behind tiles that were cut along k: it adds their parts, whatever kind of tile left them. Each type has it
// once, beside its level tiles.
#pragma once

#include "backend/cuda/async/last_wave.cuh"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/ptx/team.cuh"

namespace tw::cuda {

/// 64 rows by 32 columns of a tile of the last wave: its parts' sums, added, to C.
template <class T>
__global__ void __launch_bounds__(128)
    add_last_wave(LastWave wave, Output out, Raster raster, int width, int warpgroups) {
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();
    constexpr int columns = 32, mine = columns / 8, at_once = 4;
    const int thread = static_cast<int>(threadIdx.x), warpgroup = static_cast<int>(blockIdx.x) % warpgroups,
              of_wave = static_cast<int>(blockIdx.x) / warpgroups, first_group = static_cast<int>(blockIdx.y) * mine;
    int row, col;
    raster.place(wave.whole + of_wave, row, col);
    const int first_row = (row * warpgroups + warpgroup) * 64;
    if (!LastWave::has_rows(first_row, thread, out.rows)) return;
    const std::int64_t apart = std::int64_t{warpgroups} * width * 16;
    const float4* from =
        wave.sums + of_wave * wave.parts * apart + (std::int64_t{warpgroup} * width / 8 + first_group) * 128 + thread;
    float sums[columns / 2] = {};
    for (int part = 0; part < wave.parts; part += at_once, from += at_once * apart) {
        float4 read[at_once][mine];
#pragma unroll
        for (int p = 0; p < at_once; ++p)
#pragma unroll
            for (int g = 0; g < mine; ++g) {
                const bool inside = part + p < wave.parts && first_group + g < width / 8;
                read[p][g] = inside ? from[p * apart + g * 128] : float4{};
            }
#pragma unroll
        for (int p = 0; p < at_once; ++p)
#pragma unroll
            for (int g = 0; g < mine; ++g) {
                float* const s = sums + 4 * g;
                s[0] += read[p][g].x, s[1] += read[p][g].y, s[2] += read[p][g].z, s[3] += read[p][g].w;
            }
    }
    const int end = (col + 1) * width;
    if (end < out.cols) out.cols = end;  // a narrow last slice ends with its tile
    finish_groups<T, columns, true>(sums, out, first_row, col * width + first_group * 8, thread);
}

template <class T>
Status finish_last_wave(const Job& job, const LastWave& wave, const Output& out, const Raster& raster, int rows) {
    if (wave.parts == 1 || wave.by_pairs || wave.whole == raster.count()) return {};
    const int width = job.tile.n;
    return launch(add_last_wave<T>,
                  {.blocks = static_cast<unsigned>((raster.count() - wave.whole) * rows),
                   .threads = 128,
                   .products = static_cast<unsigned>((width + 31) / 32),
                   .overlaps = true},
                  job.call.stream, wave, out, raster, width, rows);
}

}  // namespace tw::cuda
