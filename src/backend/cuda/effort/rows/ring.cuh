// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Asynchronous copies bring rows, many at a time, into each warp's ring, from which they are added to the sums.
#pragma once

#include "backend/cuda/effort/rows/shared_memory.cuh"
#include "backend/cuda/ptx/keep.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::effort::row_kernels {

/// A round, for adding its rows.
struct Reading {
    const std::byte* first;  ///< the first row of the round's first input
    bool is_listed;          ///< by the list; else all rows of its inputs are read
    std::uint32_t mine;      ///< address of the lane's sums
    unsigned how;
};

/// Adds a warp's rows. `from`: the places in a row of the lane's pieces of a stage.
template <class Row>
__device__ void add_rows(SharedMemory<Row>& shared, int begin, int end, const Reading& reading,
                         const int (&from)[Row::copies]) {
    constexpr int together = Row::together, stages = Row::stages, of_row = Row::bytes / 16,
                  bytes = SharedMemory<Row>::bytes_of_stage;
    constexpr int apart = Row::in_turns ? warps * together : together;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t ring = ptx::shared_address(shared.ring[warp]) + 16 * static_cast<std::uint32_t>(lane);
    ptx::keep(ring);
    const auto ask = [&](int at, int stage) {
#pragma unroll
        for (int x = 0; x < Row::copies; ++x) {
            const int piece = 32 * x + lane, place = at + piece / of_row;
            if (piece >= together * of_row || place >= end) continue;
            const unsigned row = reading.is_listed ? shared.rows[place] : static_cast<unsigned>(place);
            ptx::copy_16(ring + static_cast<std::uint32_t>(stage * bytes + 512 * x),
                         reading.first + row * Row::bytes + from[x], 16);
            if (piece % of_row == 0) shared.factors[warp][stage].v[piece / of_row] = shared.v[row / Row::units];
        }
        ptx::commit_copies();
    };
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) ask(begin + stage * apart, stage);
    for (int at = begin, stage = 0; at < end; at += apart) {
        ptx::wait_for_copies<stages - 1>();
        __syncwarp();
        Row row[together];
        const auto factors = shared.factors[warp][stage];
#pragma unroll
        for (int j = 0; j < together; ++j) row[j].read(shared.ring[warp][stage] + j * Row::bytes, lane);
        __syncwarp();
        ask(at + stages * apart, stage);
        if (++stage == stages) stage = 0;
        if (at + together <= end) {
#pragma unroll
            for (int j = 0; j < together; ++j) row[j].add(factors.v[j], reading.mine, reading.how);
        } else {
#pragma unroll
            for (int j = 0; j < together; ++j)
                if (at + j < end) row[j].add(factors.v[j], reading.mine, reading.how);
        }
    }
}

}  // namespace tw::cuda::effort::row_kernels
