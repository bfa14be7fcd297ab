// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels of buckets and tiers share. A tile has 1024 outputs, and a unit of an input is a row of it. The blocks of a tile share
// its entries out; a block lists the rows of its own, and each of its warps takes an equal run of them, whatever inputs they are of.
//
//   entries  (i 2, 3 units) (i 5, 1) (i 6, 2) ..   ->   rows  2.0 2.1 2.2 5.0 | 6.0 6.1 ..   ->   warp 0 | warp 1 ..
//
// Rows come by asynchronous copies, many at a time, into a ring that each warp has. A lane has its sums in shared memory, columns of its
// own, so that any position costs the same and no two lanes meet. Sums are added in one order: of a warp's rows, of the warps, of a
// tile's blocks.
#pragma once

#include "backend/cuda/effort.cuh"
#include "backend/cuda/ptx/prefix.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::effort::of_rows {

constexpr int warps = 12, threads = 32 * warps, outputs = 1024;
/// The sums of a warp begin at a multiple of their size: a position is put into an address as it is.
constexpr int bytes_of_sums = 4 * outputs, least_ring = 3072;

/// What lies behind the sums. Row::together rows are copied as one, and Row::stages such are on their way.
template <class Row>
struct Desk {
    static constexpr int most_rows = Row::most_rows, together = Row::together, bytes_of_stage = together * Row::bytes;
    struct alignas(4 * together) Factors {
        float v[together];
    };
    static_assert(Row::stages * bytes_of_stage >= least_ring);
    alignas(128) std::byte ring[warps][Row::stages][bytes_of_stage];
    Factors factors[most_rows / together];  ///< of a round's rows
    std::uint32_t rows[most_rows];
    int of_warp[warps], listed;
    bool is_last;
};
template <class Row>
constexpr std::size_t shared = (warps + 1) * bytes_of_sums + sizeof(Desk<Row>);

struct Round {
    int entries, rows;
};

/// Lists the rows of this thread's entry, the block's in order, as many entries as there is room for. A thread begins at a place of its
/// own, so that threads with as many units as their neighbours do not meet in a bank.
template <class Row>
__device__ Round list_rows(Desk<Row>& desk, EffortEntryOnDevice entry, int units_of_input) {
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32, units = static_cast<int>(entry.units);
    int upto = ptx::prefix_of_warp(units);
    if (lane == 31) desk.of_warp[warp] = upto;
    __syncthreads();
    Round round{threads, 0};
#pragma unroll
    for (int x = 0; x < warps; ++x) {
        const int of_warp = desk.of_warp[x];
        round.rows += of_warp;
        if (x < warp) upto += of_warp;
    }
    if (round.rows > Row::most_rows) {
        round.entries = __syncthreads_count(upto <= Row::most_rows);
        if (thread == round.entries - 1) desk.listed = upto;
        __syncthreads();
        round.rows = desk.listed;
    }
    const std::uint32_t first = entry.input * static_cast<std::uint32_t>(units_of_input);
    float* factors = desk.factors[0].v;
    for (int x = 0, unit = units * lane / 32; x < units && upto <= Row::most_rows; ++x) {
        desk.rows[upto - units + unit] = first + static_cast<std::uint32_t>(unit);
        factors[upto - units + unit] = entry.v;
        if (++unit == units) unit = 0;
    }
    __syncthreads();
    return round;
}

/// Adds a warp's rows of the list. `from`: where in a row each of the lane's pieces of a stage is.
template <class Row>
__device__ void add_rows(Desk<Row>& desk, int begin, int end, const std::byte* tile, const int (&from)[Row::copies], std::uint32_t mine, unsigned how) {
    constexpr int together = Row::together, stages = Row::stages, of_row = Row::bytes / 16, bytes = Desk<Row>::bytes_of_stage;
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    std::uint32_t ring = ptx::shared_address(desk.ring[warp]) + 16 * static_cast<std::uint32_t>(lane);
    asm volatile("" : "+r"(ring));
    const auto ask = [&](int at, int stage) {
#pragma unroll
        for (int x = 0; x < Row::copies; ++x) {
            const int piece = 32 * x + lane, row = at + piece / of_row;
            if (piece < together * of_row && row < end)
                ptx::copy_16(ring + static_cast<std::uint32_t>(stage * bytes + 512 * x), tile + std::uint64_t{desk.rows[row]} * Row::bytes + from[x], 16);
        }
        ptx::commit_copies();
    };
#pragma unroll
    for (int stage = 0; stage < stages; ++stage) ask(begin + stage * together, stage);
    for (int at = begin, stage = 0; at < end; at += together) {
        ptx::wait_for_copies<stages - 1>();
        __syncwarp();
        Row row[together];
        const auto factors = desk.factors[static_cast<unsigned>(at) / together];
#pragma unroll
        for (int j = 0; j < together; ++j) row[j].read(desk.ring[warp][stage] + j * Row::bytes, lane);
        __syncwarp();
        ask(at + stages * together, stage);
        if (++stage == stages) stage = 0;
        if (at + together <= end) {
#pragma unroll
            for (int j = 0; j < together; ++j) row[j].add(factors.v[j], mine, how);
        } else {
#pragma unroll
            for (int j = 0; j < together; ++j)
                if (at + j < end) row[j].add(factors.v[j], mine, how);
        }
    }
}

__device__ inline void add(float4& sum, const float4& x) {
    sum.x = __fadd_rn(sum.x, x.x), sum.y = __fadd_rn(sum.y, x.y), sum.z = __fadd_rn(sum.z, x.z), sum.w = __fadd_rn(sum.w, x.w);
}

/// After all threads have written their share of what is counted: is this block the last of `all`?
__device__ inline bool comes_last(unsigned* counter, int all, bool& is_last) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();  // of what all threads wrote before the barrier
        is_last = atomicAdd(counter, 1u) + 1 == static_cast<unsigned>(all);
        __threadfence();
    }
    __syncthreads();
    return is_last;
}

/// The sum over `count` chunks, so many apart, of a thread's four outputs; through shared memory, so that all are on their way at once.
__device__ inline float4 sum_of_chunks(const Work& w, const Place& at, int first, int apart, int count, float* room) {
    constexpr int at_once = 20, pieces = outputs / 4;
    static_assert(at_once * 4 * outputs <= warps * (bytes_of_sums + least_ring));
    const int thread = static_cast<int>(threadIdx.x);
    float4 sum = {0, 0, 0, 0};
    for (int done = 0; done < count; done += at_once) {
        const int now = min(at_once, count - done);
        for (int x = thread; x < now * pieces; x += threads)
            ptx::copy_16(ptx::shared_address(room + 4 * x), partial_of(w, at, first + (done + x / pieces) * apart) + 4 * (x % pieces), 16);
        ptx::commit_copies();
        ptx::wait_for_copies<0>();
        __syncthreads();
        for (int x = 0; x < now && thread < pieces; ++x) add(sum, *reinterpret_cast<const float4*>(room + x * outputs + 4 * thread));
        __syncthreads();
    }
    return sum;
}

/// The block's sums go to its place. The block that comes last of its group adds the group's, and of those the last of the tile the
/// groups', from the first to the last: the order is the same whoever is last.
__device__ inline void finish(const Work& w, const Place& at, bool& is_last, float* sums, int buckets_of_lane, double factor) {
    const int first = 4 * static_cast<int>(threadIdx.x), group = at.chunk / w.of_group, first_chunk = group * w.of_group;
    const int of_group = min(w.of_group, w.chunks - first_chunk);
    unsigned* counters = w.arrived + (at.product * w.m.tiles + at.tile) * (1 + w.groups);
    float4 sum = {0, 0, 0, 0};
    __syncthreads();
    if (first < outputs) {
#pragma unroll
        for (int x = 0; x < warps; ++x) add(sum, *reinterpret_cast<const float4*>(sums + x * outputs + first));
        *reinterpret_cast<float4*>(partial_of(w, at, at.chunk) + first) = sum;
    }
    if (!comes_last(counters + 1 + group, of_group, is_last)) return;
    sum = sum_of_chunks(w, at, first_chunk, 1, of_group, sums);
    if (w.groups > 1) {
        if (first < outputs) *reinterpret_cast<float4*>(partial_of(w, at, first_chunk) + first) = sum;
        if (!comes_last(counters, w.groups, is_last)) return;
        sum = sum_of_chunks(w, at, 0, w.of_group, w.groups, sums);
    }
    if (first < outputs) {
        // Sum 32 x + lane is of an output of the lane: through shared memory, that neighbours are written together.
        const auto put = [&](int x, float value) {
            const int lane = x % 32, column = x / 32 % buckets_of_lane, position = x / 32 / buckets_of_lane;
            sums[33 * lane + column * (32 / buckets_of_lane) + position] = value;
        };
        put(first, sum.x), put(first + 1, sum.y), put(first + 2, sum.z), put(first + 3, sum.w);
    }
    __syncthreads();
    float* y = w.y + at.product * w.y_step;
    for (int o = static_cast<int>(threadIdx.x); o < outputs; o += threads) {
        const int to = at.tile * outputs + o;
        if (to < w.m.outputs) y[to] = static_cast<float>(static_cast<double>(sums[o + o / 32]) * factor);
    }
}

template <class Row>
__device__ void multiply(const Work& w) {
    extern __shared__ char memory[];
    char* room = memory + (bytes_of_sums - ptx::shared_address(memory) % bytes_of_sums) % bytes_of_sums;
    Desk<Row>& desk = *reinterpret_cast<Desk<Row>*>(room + warps * bytes_of_sums);
    float* sums = reinterpret_cast<float*>(room);
    const Place at(w);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    ptx::let_next_kernel_begin();
#pragma unroll
    for (int x = 0; x < outputs / 128; ++x) reinterpret_cast<float4*>(sums + warp * outputs)[32 * x + lane] = {0, 0, 0, 0};
    const int lanes = min(32, (w.m.outputs - at.tile * outputs + 31) / 32);  // that have outputs
    int from[Row::copies];
#pragma unroll
    for (int x = 0; x < Row::copies; ++x) from[x] = Row::place_of((32 * x + lane) % (Row::bytes / 16), lanes);
    const std::byte* tile = tile_of(w, at);
    unsigned how = Row::how(w);
    std::uint32_t mine = ptx::shared_address(sums) + static_cast<std::uint32_t>(warp * bytes_of_sums + 4 * lane);
    asm volatile("" : "+l"(tile), "+r"(how), "+r"(mine));  // kept, not made again for each row
    ptx::wait_for_kernel_before();

    // Most often every input has an entry: the block's own are asked for before their number is known.
    const EffortEntryOnDevice* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs;
    const auto share_of = [&](int all) { return (all + w.chunks - 1) / w.chunks; };
    const int thread = static_cast<int>(threadIdx.x), likely = at.chunk * share_of(w.m.inputs) + thread;
    EffortEntryOnDevice entry{};
    if (likely < w.m.inputs) entry = entries[likely];
    const EffortChosenOnDevice chosen = w.chosen[at.product];
    const int all = static_cast<int>(chosen.entries), begin = at.chunk * share_of(all), end = min(all, begin + share_of(all));
    Round round;
    for (int first = begin; first < end; first += round.entries) {
        const int own = first + thread;
        if (own >= end) entry = {};
        else if (first > begin || own != likely) entry = entries[own];
        round = list_rows(desk, entry, w.m.units);
        constexpr int together = Row::together;
        const int of_warp = (round.rows + warps * together - 1) / (warps * together) * together, first_row = min(round.rows, warp * of_warp);
        add_rows<Row>(desk, first_row, min(round.rows, first_row + of_warp), tile, from, mine, how);
        __syncthreads();
    }
    finish(w, at, desk.is_last, sums, Row::buckets_of_lane, chosen.factor);
}

}  // namespace tw::cuda::effort::of_rows
