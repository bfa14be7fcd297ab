// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels of buckets and tiers share. A tile has 1024 outputs, and a unit of an input is a row of it. The blocks of a tile share
// its entries out; a block lists the rows of its own, and each of its warps takes an equal run of them, whatever inputs they are of.
//
//   entries  (i 2, 3 units) (i 5, 1) (i 6, 2) ..   ->   rows  2.0 2.1 2.2 5.0 | 6.0 6.1 ..   ->   warp 0 | warp 1 ..
//
// A lane has its sums in shared memory, columns of its own, so that any position costs the same and no two lanes meet. Sums are added
// in one order: of a warp's rows, of the warps, of a tile's blocks.
#pragma once

#include "backend/cuda/effort.cuh"
#include "backend/cuda/ptx/shared_store.cuh"

namespace tw::cuda::effort::of_rows {

constexpr int warps = 16, threads = 32 * warps, outputs = 1024;

struct alignas(8) Listed {
    std::uint32_t row;
    float v;
};
template <int most_rows>
struct Desk {
    Listed list[most_rows];  ///< of a round
    unsigned of_warp[warps];
    bool is_last;
};
/// The sums of a warp begin at a multiple of their size: a position is put into an address as it is.
constexpr int bytes_of_sums = 4 * outputs;
template <class Row>
constexpr std::size_t shared = (warps + 1) * bytes_of_sums + sizeof(Desk<Row::most_rows>);

/// Lists the rows of this thread's entry, the block's in order; their number. A thread begins at a place of its own, so that
/// threads with as many units as their neighbours do not meet in a bank.
__device__ inline int list_rows(Listed* list, unsigned (&sums)[warps], EffortEntryOnDevice entry, int units_of_input) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32, units = static_cast<int>(entry.units);
    int upto = units;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const int other = __shfl_up_sync(~0u, upto, step);
        if (lane >= step) upto += other;
    }
    if (lane == 31) sums[warp] = static_cast<unsigned>(upto);
    __syncthreads();
    int all = 0, before = upto - units;
#pragma unroll
    for (int x = 0; x < warps; ++x) {
        const int of_warp = static_cast<int>(sums[x]);
        all += of_warp;
        if (x < warp) before += of_warp;
    }
    const std::uint32_t first = entry.input * static_cast<std::uint32_t>(units_of_input);
    int unit = units * lane / 32;
    for (int x = 0; x < units; ++x) {
        list[before + unit] = {first + static_cast<std::uint32_t>(unit), entry.v};
        if (++unit == units) unit = 0;
    }
    __syncthreads();
    return all;
}

/// A warp's rows, from the list; Row::ahead of them have been asked for. A Row is what a lane reads of one.
template <class Row>
__device__ void add_rows(const Listed* list, int begin, int end, const std::byte* rows, std::uint32_t mine, unsigned how) {
    constexpr int ahead = Row::ahead;
    Row row[ahead];
    float v[ahead];
    const auto ask = [&](int at, int j) {
        const Listed listed = list[at];
        v[j] = listed.v;
        row[j].load(rows + std::uint64_t{listed.row} * Row::bytes, how);
    };
#pragma unroll
    for (int j = 0; j < ahead; ++j)
        if (begin + j < end) ask(begin + j, j);
    int at = begin;
    for (; at + 2 * ahead <= end; at += ahead)
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            row[j].add(v[j], mine, how);
            ask(at + ahead + j, j);
        }
    for (; at < end; at += ahead)
#pragma unroll
        for (int j = 0; j < ahead; ++j) {
            if (at + j < end) row[j].add(v[j], mine, how);
            if (at + ahead + j < end) ask(at + ahead + j, j);
        }
}

/// The block's sums go to its place; the block that comes last of its tile adds the blocks', from the first to the last, so the order
/// is the same whoever is last.
__device__ inline void finish(const Work& w, const Place& at, bool& is_last, float* sums, int buckets_of_lane, double factor) {
    const int first = 2 * static_cast<int>(threadIdx.x);
    __syncthreads();
    float2 sum = {0, 0};
#pragma unroll
    for (int x = 0; x < warps; ++x) {
        const float2 of_warp = *reinterpret_cast<const float2*>(sums + x * outputs + first);
        sum.x = __fadd_rn(sum.x, of_warp.x), sum.y = __fadd_rn(sum.y, of_warp.y);
    }
    *reinterpret_cast<float2*>(partial_of(w, at, at.chunk) + first) = sum;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicInc(w.arrived + at.product * w.m.tiles + at.tile, static_cast<unsigned>(w.chunks - 1)) + 1 == static_cast<unsigned>(w.chunks);
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    const std::int64_t apart = static_cast<std::int64_t>(w.m.tiles) * outputs;
    const float* from = partial_of(w, at, 0) + first;
    sum = {0, 0};
#pragma unroll 16
    for (int c = 0; c < w.chunks; ++c) {
        const float2 x = __ldcg(reinterpret_cast<const float2*>(from + c * apart));
        sum.x = __fadd_rn(sum.x, x.x), sum.y = __fadd_rn(sum.y, x.y);
    }
    // Sum 32 x + lane is of output 32 lane + turned(x) of the tile: through shared memory, that neighbours are written together.
    const auto put = [&](int x, float value) {
        const int lane = x % 32, column = x / 32 % buckets_of_lane, position = x / 32 / buckets_of_lane;
        sums[33 * lane + column * (32 / buckets_of_lane) + position] = value;
    };
    put(first, sum.x), put(first + 1, sum.y);
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
    Desk<Row::most_rows>& desk = *reinterpret_cast<Desk<Row::most_rows>*>(room + warps * bytes_of_sums);
    float* sums = reinterpret_cast<float*>(room);
    const Place at(w);
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    ptx::let_next_kernel_begin();
#pragma unroll
    for (int x = 0; x < outputs / 128; ++x) reinterpret_cast<float4*>(sums + warp * outputs)[32 * x + lane] = {0, 0, 0, 0};
    // Lanes whose outputs there are none of read what the last of the others does.
    const int used = min(lane, (w.m.outputs - at.tile * outputs - 1) / 32);
    const std::byte* rows = tile_of(w, at) + used * Row::bytes_of_lane;
    const unsigned how = Row::how(w, used);
    const std::uint32_t mine = ptx::shared_address(sums) + static_cast<std::uint32_t>(warp * bytes_of_sums + 4 * lane);
    asm volatile("" : "+l"(rows));  // known as a whole: an address is one multiplication
    ptx::wait_for_kernel_before();

    const EffortChosenOnDevice chosen = w.chosen[at.product];
    const EffortEntryOnDevice* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs;
    const int all = static_cast<int>(chosen.entries), share = (all + w.chunks - 1) / w.chunks;
    const int end = min(all, (at.chunk + 1) * share), round = min(threads, Row::most_rows / w.m.units);
    for (int first = at.chunk * share; first < end; first += round) {
        const int own = first + static_cast<int>(threadIdx.x);
        EffortEntryOnDevice entry{};
        if (own < min(end, first + round)) entry = entries[own];
        const int count = list_rows(desk.list, desk.of_warp, entry, w.m.units), of_warp = ((count + warps - 1) / warps + 1) / 2 * 2;
        const int begin = min(count, warp * of_warp);
        add_rows<Row>(desk.list, begin, min(count, begin + of_warp), rows, mine, how);
        __syncthreads();
    }
    finish(w, at, desk.is_last, sums, Row::buckets_of_lane, chosen.factor);
}

}  // namespace tw::cuda::effort::of_rows
