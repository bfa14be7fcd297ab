// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows come by asynchronous copies, many at a time, into a ring that each warp has, and are added from there.
#pragma once

#include "backend/cuda/effort/rows/desk.cuh"
#include "backend/cuda/ptx/keep.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::effort::of_rows {

/// What adding rows needs of a round.
struct Reading {
    const std::byte* first;  ///< the first row of the round's first input
    bool is_listed;          ///< or they are all rows of its inputs
    std::uint32_t mine;      ///< where the lane's sums are
    unsigned how;
};

/// Adds a warp's rows. `from`: where in a row each of the lane's pieces of a stage is.
template <class Row>
__device__ void add_rows(Desk<Row>& desk, int begin, int end, const Reading& reading, const int (&from)[Row::copies]) {
    constexpr int together = Row::together, stages = Row::stages, of_row = Row::bytes / 16,
                  bytes = Desk<Row>::bytes_of_stage;
    constexpr int apart = Row::in_turns ? warps * together : together;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t ring = ptx::shared_address(desk.ring[warp]) + 16 * static_cast<std::uint32_t>(lane);
    ptx::keep(ring);
    const auto ask = [&](int at, int stage) {
#pragma unroll
        for (int x = 0; x < Row::copies; ++x) {
            const int piece = 32 * x + lane, place = at + piece / of_row;
            if (piece >= together * of_row || place >= end) continue;
            const unsigned row = reading.is_listed ? desk.rows[place] : static_cast<unsigned>(place);
            ptx::copy_16(ring + static_cast<std::uint32_t>(stage * bytes + 512 * x),
                         reading.first + row * Row::bytes + from[x], 16);
            if (piece % of_row == 0) desk.factors[warp][stage].v[piece / of_row] = desk.v[row / Row::units];
        }
        ptx::commit_copies();
    };
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) ask(begin + stage * apart, stage);
    for (int at = begin, stage = 0; at < end; at += apart) {
        ptx::wait_for_copies<stages - 1>();
        __syncwarp();
        Row row[together];
        const auto factors = desk.factors[warp][stage];
#pragma unroll
        for (int j = 0; j < together; ++j) row[j].read(desk.ring[warp][stage] + j * Row::bytes, lane);
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

}  // namespace tw::cuda::effort::of_rows
