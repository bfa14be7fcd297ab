// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work that is cut into equal runs for all blocks, whatever tiles it belongs to, and how the blocks of a tile add up
// their sums: those behind the tile's first block send it theirs by mailboxes.
#pragma once

#include "backend/cuda/ptx/flag.cuh"
#include "formats/on_device.hpp"

namespace tw::cuda::effort {

/// The rows of all tiles in steps, cut into equal runs: the same for each product of a call. No more blocks than steps.
struct Runs {
    int of_step, rows, steps, blocks;

    __device__ Runs(int all_rows, int rows_of_step)
        : of_step(rows_of_step),
          rows(all_rows),
          steps((rows + of_step - 1) / of_step),
          blocks(static_cast<int>(gridDim.x)) {}

    __device__ int begin_of(int block) const {
        return static_cast<int>(static_cast<std::int64_t>(steps) * block / blocks);
    }
    __device__ int block_of(int row) const {
        return static_cast<int>((static_cast<std::int64_t>(row / of_step + 1) * blocks - 1) / steps);
    }
    /// Every step is whole: the last one begins early enough and repeats some rows.
    __device__ int row_of(int step) const { return min(step * of_step, rows - of_step); }
};

/// The first and the last block of those that share a tile.
struct TileBlocks {
    int first, last;

    __device__ TileBlocks(const Runs& runs, int tile, int rows_of_tile)
        : first(runs.block_of(tile * rows_of_tile)), last(runs.block_of((tile + 1) * rows_of_tile - 1)) {}
};

/// Adds to this block's sum those of the tile's other blocks, in their order, as they arrive.
__device__ inline float add_mailboxes(std::uint64_t* mailboxes, const TileBlocks& of_tile, float sum) {
    constexpr int at_once = 11, outputs = ::tw::effort::on_device::Dense::outputs;
    static_assert(outputs == ::tw::effort::on_device::Planes::outputs);
    for (int from = of_tile.first + 1; from <= of_tile.last; from += at_once) {
        std::uint64_t word[at_once] = {};
        for (bool are_here = false; !are_here;) {
            are_here = true;
#pragma unroll
            for (int b = 0; b < at_once; ++b) {
                if (from + b > of_tile.last) continue;
                word[b] = ptx::look_into_mailbox(mailboxes + (from + b) * outputs);
                are_here &= ptx::has_come(word[b]);
            }
        }
#pragma unroll
        for (int b = 0; b < at_once; ++b) {
            if (from + b > of_tile.last) continue;
            sum = __fadd_rn(sum, ptx::number_in(word[b]));
            mailboxes[(from + b) * outputs] = 0;
        }
    }
    return sum;
}

}  // namespace tw::cuda::effort
