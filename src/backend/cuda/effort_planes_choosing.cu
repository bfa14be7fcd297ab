// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes_choosing: a product of planes in one launch. A cluster of two blocks chooses from all inputs, a half each, what is read, and
// multiplies some of them by a tile of 256 outputs: a block up to 2048, a warp 128 of these, whose plane A is on its way to shared memory
// while the choice is made. Clusters that share a tile choose alike, and the one that comes last adds up what all of them have.
//
//   block 0  | worths |--+--> cutoff -> warp: k of its inputs, planes A (here already), B, C --+
//   block 1  | worths |--+--> cutoff -> ..                                                   --+-> sums of warps, of blocks, of clusters -> y
//
// Needs: sm_90. Counts, for I inputs, C clusters a tile and E rows: loads C 16 I + 12 I + 80 I a tile and the bytes of planes B and C;
// stores the outputs, and C times where C > 1.
#include <algorithm>

#include "backend/cuda/effort_planes_chunk.cuh"
#include "backend/cuda/effort_planes_cutoff.cuh"
#include "backend/cuda/effort_planes_sum.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort {
namespace of_planes {
namespace {

constexpr int ranks = 2, early_warps = 8;  // of a block, whose plane A is asked for before the vector is there

struct Desk {
    Choosing choosing;
    SumsOfBlocks<ranks> sums;
    Room rooms[warps];
};

/// Which inputs a block has: it counts those of its half, and multiplies others.
struct Shares {
    int begin_counted, end_counted, begin, end;

    __device__ Shares(const Work& w, const Place& at, int rank) {
        begin_counted = min(rank * w.counted_of_rank, w.m.inputs), end_counted = min(begin_counted + w.counted_of_rank, w.m.inputs);
        begin = min((ranks * at.chunk + rank) * w.inputs_of_rank, w.m.inputs), end = min(begin + w.inputs_of_rank, w.m.inputs);
    }
};

__device__ float4 four_of_units(const float* of_inputs, std::int64_t at) { return __ldg(reinterpret_cast<const float4*>(of_inputs + at)); }

/// Four neighbours from a thread's place on, of a vector that is not there yet.
__device__ Inputs inputs_from(const float* statistics, std::int64_t apart, int first, int end) {
    Inputs x{.first = first, .there = max(0, min(own, end - first))};
#pragma unroll
    for (int u = 0; u < units; ++u)
        if (x.there > 0) x.statistic[u] = four_of_units(statistics, u * apart + first);
    return x;
}

__device__ void add_vector(const Work& w, const float* vector, Inputs& x) {
    const float* from = vector + x.first;
    if (w.is_even && x.there > 0) x.v = *reinterpret_cast<const float4*>(from);
    if (!w.is_even && x.there > 0) x.v = {from[0], x.there > 1 ? from[1] : 0.f, x.there > 2 ? from[2] : 0.f, x.there > 3 ? from[3] : 0.f};
}

/// The scales of the warp's chunk, and all of its plane A where most of it will be wanted, are on their way from here on.
__device__ void begin_copies(const Work& w, Room& room, const Rows& rows) {
    const std::uint32_t here = ptx::shared_address(&room.here);
    ptx::expect_bytes(here, bytes_of_scales + (w.ahead ? bytes_of_a : 0));
    ptx::load_bytes(ptx::shared_address(room.step), rows.front + bytes_of_a, bytes_of_scales, here);
    if (w.ahead) ptx::load_bytes(ptx::shared_address(room.a), rows.front, bytes_of_a, here);
}

/// Of the inputs that a thread multiplies, by the choice that has been made.
__device__ Own read_of(const Work& w, const Choosing& choosing, Inputs& mine, const float4 (&gain)[units], float scale_of_worths, unsigned most) {
    Own read;
    const auto scale_by = [](float4& v, float by) { v.x = __fmul_rn(v.x, by), v.y = __fmul_rn(v.y, by), v.z = __fmul_rn(v.z, by), v.w = __fmul_rn(v.w, by); };
    if (scale_of_worths != 1) scale_by(mine.v, scale_of_worths);
    if (!w.everything) count_units(choosing, mine, read.k);
    if (scale_of_worths == 1) scale_by(mine.v, scale_for(most));
#pragma unroll
    for (int i = 0; i < own; ++i) {
        if (w.everything) read.k[i] = i < mine.there ? units : 0;
        const unsigned k = read.k[i];
        read.v[i] = k > 0 ? __fmul_rn(part_of(mine.v, i), k > 2 ? part_of(gain[2], i) : k > 1 ? part_of(gain[1], i) : part_of(gain[0], i)) : 0.f;
    }
    return read;
}

/// `groups` of 2048 inputs are what a block counts at most.
template <int groups>
__global__ void __launch_bounds__(threads, 1) planes_choosing(const __grid_constant__ Work w) {
    extern __shared__ uint4 memory[];
    Desk& desk = *reinterpret_cast<Desk*>(memory);
    Choosing& choosing = desk.choosing;
    const int thread = static_cast<int>(threadIdx.x), warp = __shfl_sync(~0u, thread / 32, 0), rank = ptx::own_rank<ranks>();
    Place at(static_cast<int>(blockIdx.x) / ranks / w.chunks, w.m.tiles);
    at.chunk = static_cast<int>(blockIdx.x) / ranks % w.chunks;
    const Shares shares(w, at, rank);
    const Lane my;
    const std::int64_t apart = w.m.inputs_apart, of_expert = std::int64_t{w.experts[at.product]} * units * apart;
    Room& room = desk.rooms[warp];
    const std::uint32_t here = ptx::shared_address(&room.here);
    const bool has_chunk = shares.begin + chunk * warp < shares.end;
    const auto rows_of_warp = [&] {
        int first = shares.begin + chunk * warp;
        asm volatile("" : "+r"(first));                   // made again, not kept in registers while the choice is made
        return Rows(tile_of(w, at), apart, first);
    };

    ptx::let_next_kernel_begin();
    if (thread == 0) desk.sums.expect(rank);
    ptx::arrive_at_ranks<ranks>();                        // both have begun
    const float *statistics = w.m.statistics + of_expert, *vector = w.v + at.product * w.v_step;
    Inputs counted[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) counted[g] = inputs_from(statistics, apart, shares.begin_counted + share * g + own * thread, shares.end_counted);
    Inputs mine = inputs_from(statistics, apart, shares.begin + own * thread, shares.end);
    float4 gain[units] = {};
    const auto ask_for_gains = [&] {
#pragma unroll
        for (int u = 0; u < units; ++u)
            if (mine.there > 0) gain[u] = four_of_units(w.m.gains, of_expert + u * apart + mine.first);
    };
    constexpr bool has_registers = groups == 1;           // for the gains, while others hold what is counted
    if (has_registers) ask_for_gains();
    const OfSample of_sample(w, statistics);
    if (my.lane == 0) {
        ptx::init_barrier(here, 1);
        ptx::publish_barriers();
    }
    const bool begins_copies = my.lane == 0 && has_chunk, is_early = w.everything || warp < early_warps;
    if (begins_copies && is_early) begin_copies(w, room, rows_of_warp());
    choosing.clear();
    __syncthreads();
    ptx::wait_for_kernel_before();
    ptx::wait_for_ranks<ranks>();

    const float v_of_sample = of_sample.is_there ? vector[of_sample.input] : 0.f;
    unsigned most = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) add_vector(w, vector, counted[g]);
    add_vector(w, vector, mine);
#pragma unroll
    for (int g = 0; g < groups; ++g) most = max(most, counted[g].most());
    most = __reduce_max_sync(~0u, most);
    ptx::raise_where(my.lane == 0, ptx::shared_address(&choosing.most), most);
    of_sample.put(w, choosing, v_of_sample);
    __syncthreads();
    if (begins_copies && !is_early) begin_copies(w, room, rows_of_warp());  // no sooner: the vector would have to wait behind it
    const Range all{vector, statistics, apart, shares.begin_counted, shares.end_counted};
    const auto meanwhile = [&] {
        if (!has_registers) ask_for_gains();
    };
    float scale = 1;
    if (w.everything) meanwhile(), most = most_of_ranks<ranks>(choosing);
    else scale = find_cutoff<ranks>(w, counted, all, choosing, rank, most, meanwhile);
    const Own read = read_of(w, choosing, mine, gain, scale, most);
    if (at.tile == warp % w.m.tiles) note(w, at, mine.first, mine.there, read);  // all of it would make one tile late, and the product with it
    if (at.tile == 0 && at.chunk == 0 && rank == 0 && thread == 0) {
        const float worth = w.everything ? 0.f : __uint_as_float(choosing.cutoff.worth);
        w.chosen[at.product] = conclude(w, static_cast<unsigned>(w.m.inputs), __float_as_uint(scale == 1 ? worth * scale_for(most) : worth), most);
    }
    float4 total[2] = {};
    if (has_chunk) {
        const Rows rows = rows_of_warp();
        const auto wait = [&] {
            ptx::wait_for_copies<0>();
            ptx::wait_barrier(here, 0);
        };
        if (!w.ahead) copy_own_of_a(room, my, rows, read);
        if (__any_sync(~0u, read.k[0] + read.k[1] + read.k[2] + read.k[3] > 0)) Chunk(room, rows).multiply_all<8, 4>(read, total, wait);
        else wait();                                      // what was asked for must not come later
    }
    add_up<ranks, true>(w, at, desk.rooms, desk.sums, total, rank, factor_of(w, most));
}

template <int groups>
Status start(const Work& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * w.chunks * ranks);
    return launch(planes_choosing<groups>, {.blocks = count, .threads = threads, .shared = sizeof(Desk), .cluster = ranks, .overlaps = true}, stream, w);
}

}  // namespace
}  // namespace of_planes

int clusters_of_planes(int inputs, int tiles, int processors) {
    using namespace of_planes;
    constexpr int most_counted = 4 * share, least_inputs = 512;
    if (inputs > ranks * most_counted) return 0;
    const int needed = (inputs + ranks * share - 1) / (ranks * share), worth_it = inputs / (ranks * least_inputs), at_once = processors / (ranks * tiles);
    return std::max(needed, std::min(worth_it, at_once));
}

Status start_planes_choosing(Work w, int products, void* stream) {
    using namespace of_planes;
    const auto share_of = [](int inputs, int among, int step) { return (inputs + among * step - 1) / (among * step) * step; };
    w.inputs_of_rank = share_of(w.m.inputs, ranks * w.chunks, chunk), w.counted_of_rank = share_of(w.m.inputs, ranks, own);
    const int size = std::min(w.m.inputs, of_sample);
    w.reached_of_sample = std::max(1u, static_cast<unsigned>(std::uint64_t{w.reached} * static_cast<unsigned>(size) / static_cast<unsigned>(w.m.inputs)));
    w.is_even = w.m.inputs % 4 == 0 && w.v_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(w.v) % 16 == 0;
    return w.counted_of_rank <= share ? start<1>(w, products, stream) : w.counted_of_rank <= 2 * share ? start<2>(w, products, stream) : start<4>(w, products, stream);
}

}  // namespace tw::cuda::effort
