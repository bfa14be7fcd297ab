// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles that would fill a last wave in part: each is cut along k into parts, which all multiprocessors share. A part
// leaves its sums in scratch as the unit left them in registers, and a second kernel adds them, first part first.
//
//     8 tiles, 6 at once                 the last two in 3 parts each
//    | 0 1 2 3 4 5 | 6 7 . . . . |      | 0 1 2 3 4 5 | 6a 6b 6c 7a 7b 7c | +
//
// The parts follow from the shape and the number of multiprocessors: a call has the same bits on every run.
#pragma once

#include "backend/cuda/async/job.hpp"
#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/launch.hpp"
#include "backend/cuda/epilogue/groups.cuh"
#include "backend/cuda/ptx/team.cuh"
#include "backend/cuda/tiles/async_shapes_sm90.hpp"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

/// What a cluster does at a time: steps of k of a tile.
struct Piece {
    int tile, from, end;
    bool is_part;
};

struct LastWave {
    int whole;     ///< tiles in front of it, all of their k at once
    int parts;     ///< of each tile behind them
    float4* sums;  ///< of all parts: [part][block][warpgroup][8 columns][thread]

    __host__ __device__ int pieces(int tiles) const { return whole + (tiles - whole) * parts; }
    __device__ Piece piece(int i, int steps) const {
        if (i < whole) return {i, 0, steps, false};
        const int part = (i - whole) % parts;
        return {whole + (i - whole) / parts, steps * part / parts, steps * (part + 1) / parts, parts > 1};
    }
    /// Of the 16 that a warp has of a warpgroup's 64 rows: few rows' parts are not all written and read.
    __device__ static bool has_rows(int first_row, int thread, int rows) { return first_row + thread / 32 * 16 < rows; }
    /// A warpgroup's sums of a part; one group of 8 columns after the other.
    template <int groups>
    __device__ void keep(const float (&sums_of_part)[groups * 4], int i, int warpgroup, int warpgroups,
                         int thread) const {
        float4* const to = sums + ((i - whole) * std::int64_t{warpgroups} + warpgroup) * groups * 128 + thread;
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            const float* const s = sums_of_part + 4 * g;
            to[g * 128] = {s[0], s[1], s[2], s[3]};
        }
    }
};

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

/// The tiles of one product that are cut, and where their sums lie: behind the operands' copies in the job's scratch.
inline LastWave last_wave_of(const Job& job, const Raster& raster, int at_once) {
    const int tiles = raster.count(), parts = sm90::r9_parts_of(job.tile);
    const int whole = tiles / at_once * at_once;
    // A tile that was asked for may want more of them than there is room for.
    const bool fit = sm90::r9_sums_fit(job.tile, (tiles - whole) * std::int64_t{parts}, multiprocessors());
    if (parts == 1 || !job.sums || !fit) return {tiles, 1, nullptr};
    return {whole, parts, static_cast<float4*>(job.sums)};
}

/// `rows` of 64: of a cluster's tile.
template <class T>
Status finish_last_wave(const Job& job, const LastWave& wave, const Output& out, const Raster& raster, int rows) {
    if (wave.parts == 1 || wave.whole == raster.count()) return {};
    const int width = job.tile.n;
    return launch(add_last_wave<T>,
                  {.blocks = static_cast<unsigned>((raster.count() - wave.whole) * rows),
                   .threads = 128,
                   .products = static_cast<unsigned>((width + 31) / 32),
                   .overlaps = true},
                  job.call.stream, wave, out, raster, width, rows);
}

}  // namespace tw::cuda
