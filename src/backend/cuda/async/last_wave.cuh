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
#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/tiles/async_shapes_sm90.hpp"
#include "backend/cuda/tiles/pipeline.cuh"

namespace tw::cuda {

/// What a cluster does at a time: steps of k of a tile.
struct Piece {
    int tile, from, end;
    bool is_part;
};

struct LastWave {
    int whole;              ///< tiles in front of it, all of their k at once
    int parts;              ///< of each tile behind them
    float4* sums;           ///< of all parts: [part][block][warpgroup][8 columns][thread]
    bool by_pairs = false;  ///< parts are added by clusters of two blocks, not by a kernel behind

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

/// The tiles of one product that are cut, and where their sums lie: behind the operands' copies in the job's scratch.
inline LastWave last_wave_of(const Job& job, const Raster& raster, int at_once) {
    const int tiles = raster.count(), parts = sm90::r9_parts_of(job.tile);
    if (parts == 2 && sm90::r9_adds_by_pairs(job.tile, tiles, job.adds(), at_once)) return {0, 2, nullptr, true};
    const int whole = tiles / at_once * at_once;
    // A tile that was asked for may want more of them than there is room for.
    const bool fit = sm90::r9_sums_fit(job.tile, (tiles - whole) * std::int64_t{parts}, multiprocessors());
    if (parts == 1 || !job.sums || !fit) return {tiles, 1, nullptr};
    return {whole, parts, static_cast<float4*>(job.sums)};
}

/// Adds them. `rows` of 64: of a cluster's tile.
template <class T>
Status finish_last_wave(const Job& job, const LastWave& wave, const Output& out, const Raster& raster, int rows);

}  // namespace tw::cuda
