// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes_choosing: a product of planes in one launch. A cluster has a tile of 256 outputs, a block of it up to 2048 inputs, a warp
// 128 of these, whose plane A is on its way to shared memory while it is chosen what is read. Then each warp multiplies what is its own.
//
//   block 0  | worths |--+--> cutoff -> warp: k of its inputs, planes A (here already), B, C --+
//   block 1  | worths |--+--> cutoff -> ..                                                   --+-> sums of warps, of blocks, in order -> y
//
// Needs: sm_90. Counts, for I inputs and E rows: loads 24 I + 64 I a tile and the bytes of planes B and C; stores the outputs.
#include "backend/cuda/effort_planes_chunk.cuh"
#include "backend/cuda/effort_planes_cutoff.cuh"
#include "backend/cuda/effort_planes_sum.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort {
namespace of_planes {
namespace {

template <int ranks>
struct Desk {
    Choosing choosing;
    SumsOfBlocks<ranks> sums;
    Room rooms[warps];
};

/// Four neighbours of a vector, of which `there` exist.
__device__ float4 four_of(const float* from, int there) {
    float four[own];
#pragma unroll
    for (int i = 0; i < own; ++i) four[i] = i < there ? from[i] : 0.f;
    return {four[0], four[1], four[2], four[3]};
}

__device__ float part_of(const float4& x, int i) { return i == 0 ? x.x : i == 1 ? x.y : i == 2 ? x.z : x.w; }

__device__ unsigned most_of(const float4& x) {
    const auto bits = [](float v) { return __float_as_uint(v) & 0x7fffffffu; };
    return max(max(bits(x.x), bits(x.y)), max(bits(x.z), bits(x.w)));
}

/// `together`: the blocks of a cluster count together, `passes` times 2048 inputs each; else each counts all inputs by itself.
template <int ranks, bool together, int passes>
__global__ void __launch_bounds__(threads, 1) planes_choosing(const __grid_constant__ Work w) {
    static_assert(together || passes == 1);
    constexpr int groups = together ? passes : ranks;     // the first are the block's own
    extern __shared__ uint4 memory[];
    Desk<ranks>& desk = *reinterpret_cast<Desk<ranks>*>(memory);
    Choosing& choosing = desk.choosing;
    const int thread = static_cast<int>(threadIdx.x), warp = __shfl_sync(~0u, thread / 32, 0), rank = ptx::own_rank<ranks>();
    const Place at(static_cast<int>(blockIdx.x) / ranks, w.m.tiles);
    const Lane my;
    const std::int64_t apart = w.m.inputs_apart, expert = w.experts[at.product];
    const auto group_of = [&](int g) { return g < passes ? rank * passes + g : g - passes + (g - passes >= rank * passes ? passes : 0); };
    const auto first_of = [&](int group) { return w.inputs_of_rank * (group / passes) + share * (group % passes); };
    const auto there_of = [&](int group, int in_group, int most) {
        const int left = min(w.inputs_of_rank - share * (group % passes), w.m.inputs - first_of(group)) - in_group;
        return max(0, min(most, left));
    };
    Room& room = desk.rooms[warp];
    const std::uint32_t here = ptx::shared_address(&room.here);
    const auto has_chunk = [&](int pass) { return there_of(group_of(pass), chunk * warp, chunk) > 0; };
    const auto rows_of = [&](int pass) { return Rows(tile_of(w, at), apart, first_of(group_of(pass)) + chunk * warp); };

    ptx::let_next_kernel_begin();
    if (thread == 0) desk.sums.expect(rank);
    ptx::arrive_at_ranks<ranks>();                        // all have begun
    const auto four_at = [&](const float* of_inputs, int u, int group) {
        return __ldg(reinterpret_cast<const float4*>(of_inputs + (expert * units + u) * apart + first_of(group) + own * thread));
    };
    float4 statistic[groups][units] = {};
#pragma unroll
    for (int g = 0; g < groups; ++g)
        if (there_of(group_of(g), own * thread, own) > 0)
#pragma unroll
            for (int u = 0; u < units; ++u) statistic[g][u] = four_at(w.m.statistics, u, group_of(g));
    float4 gain[units] = {};
    constexpr bool has_registers = passes == 1;           // for the gains, before it is known which are wanted
    if (has_registers && there_of(group_of(0), own * thread, own) > 0)
#pragma unroll
        for (int u = 0; u < units; ++u) gain[u] = four_at(w.m.gains, u, group_of(0));
    const auto bring_front = [&] {
        if (my.lane > 0 || !has_chunk(0)) return;
        const Rows rows = rows_of(0);
        ptx::expect_bytes(here, bytes_of_scales + (w.ahead ? bytes_of_a : 0));
        ptx::load_bytes(ptx::shared_address(room.step), rows.front + bytes_of_a, bytes_of_scales, here);
        if (w.ahead) ptx::load_bytes(ptx::shared_address(room.a), rows.front, bytes_of_a, here);
    };
    if (my.lane == 0) {
        ptx::init_barrier(here, 1);
        ptx::publish_barriers();
    }
    if (!has_registers) bring_front();
    for (int b = thread; b < bins; b += threads) choosing.window[b] = 0;
    if (thread < units) choosing.of_rank[thread] = choosing.ties[thread] = choosing.before[0][thread] = choosing.before[1][thread] = 0;
    if (thread == 0) choosing.count_alike = 0, choosing.worth = nothing_worth, choosing.spent = 0;
    ptx::wait_for_kernel_before();
    ptx::wait_for_ranks<ranks>();

    const float* vector = w.v + at.product * w.v_step;
    const auto of_group = [&](int group) {
        const int there = there_of(group, own * thread, own);
        const float* from = vector + first_of(group) + own * thread;
        float4 four = {};
        if (w.is_even && there > 0) four = *reinterpret_cast<const float4*>(from);
        if (!w.is_even && there > 0) four = four_of(from, there);
        return four;
    };
    float4 v[groups];
    unsigned most = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) v[g] = of_group(group_of(g));
#pragma unroll 2
    for (int g = groups; g < ranks * passes; ++g) most = max(most, most_of(of_group(group_of(g))));  // of all inputs
#pragma unroll
    for (int g = 0; g < groups; ++g) most = max(most, most_of(v[g]));
    most = __reduce_max_sync(~0u, most);
    if (my.lane == 0) choosing.most[warp] = most;
    __syncthreads();
    if (has_registers) bring_front();                     // not before: what is chosen from would have to wait behind it
    most = __reduce_max_sync(~0u, my.lane < warps ? choosing.most[my.lane] : 0);
    float scale = scale_for(most);
    unsigned read[passes] = {};                                // planes of each of four inputs, a byte each
    if (!w.everything) {
        Worths worths[groups];
#pragma unroll
        for (int g = 0; g < groups; ++g) {
            worths[g].group = group_of(g), worths[g].there = there_of(group_of(g), own * thread, own);
#pragma unroll
            for (int u = 0; u < units; ++u)
#pragma unroll
                for (int i = 0; i < own; ++i)
                    worths[g].of[u][i] =
                        __float_as_uint(__fmul_rn(__fmul_rn(fabsf(part_of(v[g], i)), scale), part_of(statistic[g][u], i))) & 0x7fffffffu;
        }
        constexpr unsigned double_it = 1u << 23;          // |v| times the scale is below 2
        find_cutoff<together ? ranks : 1>(w, worths, choosing, __float_as_uint(w.m.most_statistic) + double_it, rank, rank * passes);
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            unsigned k[own] = {};
            count_units(w, worths[pass], choosing, pass, k);
            read[pass] = k[0] | k[1] << 8 | k[2] << 16 | k[3] << 24;
        }
    } else {
#pragma unroll
        for (int pass = 0; pass < passes; ++pass) {
            read[pass] = 0;
#pragma unroll
            for (int i = 0; i < own; ++i)
                if (i < there_of(group_of(pass), own * thread, own)) read[pass] |= static_cast<unsigned>(units) << 8 * i;
        }
    }
    if (!has_registers) {
        room.later[my.lane] = read[passes - 1];
        if (my.lane == 0) room.most = most;
        __syncwarp();
    }
    float4 total[2] = {};
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        const int begin = first_of(group_of(pass)) + own * thread, there = there_of(group_of(pass), own * thread, own);
        const float4 own_v = pass == 0 ? v[0] : of_group(group_of(pass));
        const float* gains = w.m.gains + expert * units * apart + begin;
        const unsigned planes = pass == 0 ? read[0] : room.later[my.lane];
        if (!has_registers) scale = scale_for(room.most);
        Own mine;
#pragma unroll
        for (int i = 0; i < own; ++i) {
            mine.k[i] = planes >> 8 * i & 0xffu;
            const unsigned k = mine.k[i];
            float of_input = 0;
            if (has_registers) of_input = k > 2 ? part_of(gain[2], i) : k > 1 ? part_of(gain[1], i) : part_of(gain[0], i);
            else if (k > 0) of_input = __ldg(gains + (k - 1) * apart + i);
            mine.v[i] = k > 0 ? __fmul_rn(__fmul_rn(part_of(own_v, i), scale), of_input) : 0.f;
        }
        if (at.tile == 0) note(w, at, begin, there, mine);
        if (!has_chunk(pass)) continue;
        const Rows rows = rows_of(pass);
        const bool is_read = __any_sync(~0u, mine.k[0] + mine.k[1] + mine.k[2] + mine.k[3] > 0);
        if (pass == 0 && !w.ahead) copy_own_of_a(room, my, rows, mine);
        if (pass > 0 && is_read && my.lane == 0) {        // where the chunk in front was
            ptx::publish_to_engines();
            ptx::expect_bytes(here, bytes_of_front);
            ptx::load_bytes(ptx::shared_address(room.a), rows.front, bytes_of_front, here);
        }
        const auto wait = [&] {
            ptx::wait_for_copies<0>();
            ptx::wait_barrier(here, static_cast<std::uint32_t>(pass));
        };
        if (is_read) Chunk(room, rows).multiply_all<passes == 1 ? 8 : 4, passes == 1 ? 4 : 2>(mine, total, wait);
        else if (pass == 0) wait();                       // what was asked for must not come later
        __syncwarp();
    }
    if (!has_registers) most = room.most;
    if (at.tile == 0 && rank == 0 && thread == 0) w.chosen[at.product] = conclude(w, w.m.inputs, w.everything ? 0 : choosing.worth, most);
    add_up<ranks>(w, at, desk.rooms, desk.sums, total, rank, factor_of(w, most));
}

template <int ranks, bool together, int passes>
Status start(const Work& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * ranks);
    return launch(planes_choosing<ranks, together, passes>, {.blocks = count, .threads = threads, .shared = sizeof(Desk<ranks>), .cluster = ranks, .overlaps = true}, stream, w);
}

}  // namespace
}  // namespace of_planes

Status start_planes_choosing(const Work& w, int products, int ranks, void* stream) {
    using namespace of_planes;
    switch (ranks) {
        case 1: return start<1, false, 1>(w, products, stream);
        case 2: return start<2, false, 1>(w, products, stream);
        case 4: return start<4, true, 1>(w, products, stream);
        default: return start<6, true, 2>(w, products, stream);
    }
}

}  // namespace tw::cuda::effort
