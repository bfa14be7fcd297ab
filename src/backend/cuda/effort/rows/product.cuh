// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared by the kernels of buckets and tiers: a product in one launch. A tile has 1024 outputs, and a unit of an input
// is a row of it. Each block chooses what is read from all inputs; where there are many, the two blocks of a cluster
// choose from half of them each. The blocks of a tile divide its inputs; a block lists the rows of its inputs, and its
// warps take equal parts of the list, either runs or a few rows in turn.
//
//   keys -> cutoff -> inputs  (i 2, 3 units) (i 5, 1) (i 6, 2) .. -> rows  2.0 2.1 2.2 5.0 | 6.0 6.1 ..
//                                                                          warp 0          | warp 1 ..
//
// Each warp has a ring for its rows (ring.cuh). A lane has its own columns of sums in shared memory, so any position
// costs the same and there are no bank conflicts. The sums of buckets are integers that all warps add to; for tiers
// each warp has its own array. Sums are added in a fixed order: over a warp's rows, the warps, a tile's blocks. As in
// dense runs, a multiprocessor has one block of each product and beside it one of the next, which waits for its vector.
#pragma once

#include "backend/cuda/effort/rows/choice.cuh"
#include "backend/cuda/effort/rows/counted.cuh"
#include "backend/cuda/effort/rows/ring.cuh"
#include "backend/cuda/effort/rows/whole.cuh"
#include "backend/cuda/ptx/keep.cuh"

namespace tw::cuda::effort::row_kernels {

template <class Row, int ranks>
__device__ void multiply(const Params& w) {
    extern __shared__ char memory[];
    using Memory = SharedMemory<Row>;
    Memory& shared = *reinterpret_cast<Memory*>(memory);
    auto& choosing =
        *reinterpret_cast<Choosing<ranks, threads, Row::units>*>(shared.ring);  // until the first rows are loaded
    static_assert(sizeof(choosing) <= sizeof(shared.ring));
    const std::uint32_t behind = ptx::shared_address(&shared + 1);
    float* sums = reinterpret_cast<float*>(reinterpret_cast<char*>(&shared + 1) +
                                           (bytes_of_sums - behind % bytes_of_sums) % bytes_of_sums);
    const Part of_block(w, ranks);
    constexpr bool is_whole = Row::arrays == 1;
    if (threadIdx.x == 0) shared.part = of_block, shared.magnitudes = shared.most = 0;
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32,
              rank = ptx::own_rank<ranks>();
    ptx::let_next_kernel_begin();
    const bool chooses = !w.is_chosen && !w.everything && w.reached > 0;
    if (!w.is_chosen) choosing.clear(w);
    ptx::arrive_at_ranks<ranks>();  // all have begun
    const int inputs = w.m.inputs, counted = ((inputs + ranks - 1) / ranks + 3) / 4 * 4;
    const Counted own{w.m.importance + static_cast<std::int64_t>(w.experts[of_block.at.product]) * w.m.inputs_apart,
                      w.v + of_block.at.product * w.v_step, min(inputs, rank * counted),
                      min(inputs, (rank + 1) * counted), w.is_even};
    constexpr int groups = ranks == 1 ? 2 : 4;  // whose keys a thread keeps
    float4 importance[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) importance[g] = own.four(own.importance, g);
    const bool has_own = of_block.begin + thread < of_block.end;
    float own_importance = has_own ? own.importance[of_block.begin + thread] : 0.f;
#pragma unroll
    for (int x = 0; x < outputs / 128; ++x)
        if (!is_whole || warp == x)
            reinterpret_cast<float4*>(is_whole ? sums : sums + warp * outputs)[32 * x + lane] = {0, 0, 0, 0};
    if (chooses) shared.falls.template fill<threads, Row::units>(w);
    __syncthreads();
    ptx::wait_for_ranks<ranks>();
    ptx::wait_for_kernel_before();

    float own_v = has_own ? own.vector[of_block.begin + thread] : 0.f;
    const Part& part = shared.part;
    const BlockPlace& at = part.at;
    unsigned read = w.everything ? Row::units : 0;
    if (!w.is_chosen) {
        unsigned most = 0;
        float4 v[groups];
#pragma unroll
        for (int g = 0; g < groups; ++g) v[g] = own.four(own.vector, g);
#pragma unroll
        for (int g = 0; g < groups; ++g) most = max(most, largest_size(v[g]));
        for (int g = groups; own.first(g) < own.end; ++g) most = max(most, largest_size(own.four(own.vector, g)));
        most = cutoff_search::largest_of(choosing.shared, most, rank);
        const float scale = scale_for(most);
        if constexpr (is_whole) {
            if (thread == 0) shared.most = most;
            unsigned magnitudes = magnitude_of(own_v * scale);
#pragma unroll 1
            for (int input = part.begin + thread + threads; input < part.end; input += threads)
                magnitudes += magnitude_of(own.vector[input] * scale);
            add_magnitudes(shared.magnitudes, magnitudes);
        }
        if (chooses) {
            unsigned keys[4 * groups];
#pragma unroll
            for (int g = 0; g < groups; ++g) Counted::put_keys(keys + 4 * g, v[g], scale, importance[g]);
            const cutoff_search::Cutoff cutoff = choosing.choose(w, shared.falls, keys, scale, own);
            if (has_own)
                read = units_read(w, cutoff, &shared.falls, key_of_input(own_v, scale, own_importance),
                                  part.begin + thread);
            if (thread == 0) shared.cutoff = cutoff;
        }
        if (!is_whole && thread == 0) shared.most = most;
    } else if constexpr (is_whole) {
        const EffortEntry* noted = w.entries + static_cast<std::int64_t>(at.product) * inputs;
        unsigned most = 0, magnitudes = 0;
#pragma unroll 1
        for (int input = part.begin + thread; input < part.end; input += threads)
            most = max(most, __float_as_uint(noted[input].v) & 0x7fffffffu);
        atomicMax(&shared.most, most);
        __syncthreads();
#pragma unroll 1
        for (int input = part.begin + thread; input < part.end; input += threads)
            magnitudes += magnitude_of(noted[input].v * scale_for(shared.most));
        add_magnitudes(shared.magnitudes, magnitudes);
    }
    if (is_whole && !chooses) __syncthreads();
    const WholeSums whole(w, shared.most, shared.magnitudes);

    const int lanes = min(32, (w.m.outputs - at.tile * outputs + 31) / 32);  // that have outputs
    int from[Row::copies];
#pragma unroll
    for (int x = 0; x < Row::copies; ++x) from[x] = Row::place_of((32 * x + lane) % (Row::bytes / 16), lanes);
    const std::byte* tile = tile_of(w, at);
    const int begin = part.begin, end = part.end;
    unsigned how = Row::how(w);
    std::uint32_t mine =
        ptx::shared_address(sums) + static_cast<std::uint32_t>((is_whole ? 0 : warp * bytes_of_sums) + 4 * lane);
    ptx::keep(how, mine);  // kept in registers, not computed again for each row
    Reading reading{nullptr, !w.everything, mine, how};
    Round round;
    for (int first = begin; first < end; first += round.inputs) {
        const int input = first + thread;
        if (first > begin && input < end) {
            own_v = own.vector[input];
            if (chooses)
                read = units_read(w, shared.cutoff, nullptr,
                                  key_of_input(own_v, scale_for(shared.most), own.importance[input]), input);
        }
        EffortEntry entry{static_cast<std::uint32_t>(input), read, __fmul_rn(own_v, w.scale_of_rows)};
        EffortEntry* noted = w.entries + static_cast<std::int64_t>(at.product) * inputs + input;
        if (w.is_chosen && input < end) entry = *noted;
        if (input >= end) entry.units = 0;
        else if (!w.is_chosen && at.tile == 0) *noted = entry;
        shared.v[thread] = !is_whole ? entry.v : whole.unit(w.is_chosen ? entry.v : own_v);
        if (w.everything) round = {threads, min(threads, end - first) * Row::units}, __syncthreads();
        else round = list_rows(shared, static_cast<int>(entry.units));
        constexpr int together = Row::together;
        const int of_warp = (round.rows + warps * together - 1) / (warps * together) * together;
        const int first_row = Row::in_turns ? warp * together : min(round.rows, warp * of_warp);
        reading.first = tile + static_cast<std::int64_t>(first) * Row::units * Row::bytes;
        add_rows<Row>(shared, first_row, Row::in_turns ? round.rows : min(round.rows, first_row + of_warp), reading,
                      from);
        __syncthreads();
    }
    if (begin >= end) __syncthreads();
    const double factor = w.is_chosen ? w.chosen[at.product].factor : shared.most >= 0x7f800000u ? not_a_number() : 1;
    TileSum<threads, Row::buckets_of_lane>(w, part).finish(
        is_whole ? reinterpret_cast<float*>(shared.ring) : sums, factor, shared.is_last, [&](int pair) {
            float2 sum = {0, 0};
            if constexpr (is_whole) {
                const int2 of_pair = reinterpret_cast<const int2*>(sums)[pair];
                sum = {whole.number(of_pair.x), whole.number(of_pair.y)};
            } else {
#pragma unroll
                for (int x = 0; x < warps; ++x) {
                    const float2 one = *reinterpret_cast<const float2*>(sums + x * outputs + 2 * pair);
                    sum.x = __fadd_rn(sum.x, one.x), sum.y = __fadd_rn(sum.y, one.y);
                }
            }
            return sum;
        });
    if (!w.is_chosen && at.tile == 0 && at.chunk == 0 && thread == 0)
        w.chosen[at.product] = conclude(w, static_cast<unsigned>(inputs),
                                        chooses        ? shared.cutoff.row.worth
                                        : w.everything ? 0
                                                       : cutoff_search::nothing_worth,
                                        shared.most);
}

}  // namespace tw::cuda::effort::row_kernels
