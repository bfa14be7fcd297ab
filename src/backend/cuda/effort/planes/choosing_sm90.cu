// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes_choosing: a product of planes in one launch. Each block chooses what is read from all inputs; where
// there are many, the two blocks of a cluster choose from half of them each. A cluster multiplies some of the inputs by
// a tile of 256 outputs: a block up to 2048, a warp 128 of these, whose plane A is copied to shared memory while the
// block chooses. Clusters that share a tile make the same choice, and the last one to finish adds up the sums of all.
//
//   block 0  |  keys  |--:--> cutoff -> warp: k of its inputs, planes A (here already), B, C --+
//   block 1  |  keys  |--:--> cutoff -> ..                                                   --+-> sums of warps, of
//   blocks, of clusters -> y
//
// Needs: sm_90. Counts, for I inputs, C clusters a tile and E rows: loads C 8 I (twice that where a block chooses by
// itself) + 12 I + 80 I a tile and the bytes of planes B and C; stores the outputs, and C times where C > 1.
#include <algorithm>

#include "backend/cuda/effort/planes/chunk.cuh"
#include "backend/cuda/effort/planes/inputs.cuh"
#include "backend/cuda/effort/planes/sum.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort {
namespace plane_kernels {
namespace {

constexpr int ranks = 2;

/// A block's inputs: it counts all of them or half, starting with those that it multiplies.
struct Share {
    Range counted;
    int end;  ///< of the inputs that it multiplies

    __device__ Share(const Params& w, const BlockPlace& at, int rank, int together) {
        counted.begin = min(rank % together * w.counted_of_rank, w.m.inputs),
        counted.end = min(counted.begin + w.counted_of_rank, w.m.inputs);
        counted.start = counted.begin + (ranks * at.chunk + rank) / together * w.inputs_of_rank;
        end = min(counted.start + w.inputs_of_rank, counted.end);
        if (counted.start >= end) counted.start = end = counted.begin;  // more blocks than chunks
    }
    __device__ int first_of_warp() const { return counted.start + own * static_cast<int>(threadIdx.x / 32 * 32); }
    /// The first of the inputs that a thread multiplies.
    __device__ int first() const { return counted.start + own * static_cast<int>(threadIdx.x); }
    __device__ int there() const { return max(0, min(own, end - first())); }
};

template <int together>
struct SharedMemory {
    cutoff_search::SharedMemory<together, threads, 128> choice;
    BlockPlace at;
    Share share;  ///< kept here to save registers
    int expert;   ///< below 0: there is none of that number
    SumsOfBlocks<ranks> sums;
    WarpMemory warp_memory[warps];
};
static_assert(sizeof(SharedMemory<ranks>) <= 195 * 1024,
              "with more shared memory L1 is half as large, and the rows in flight no longer fit");

/// Starts to copy the scales of the warp's chunk, and all of its plane A if most of it will be needed.
__device__ void begin_copies(const Params& w, WarpMemory& memory, const Rows& rows) {
    const std::uint32_t here = ptx::shared_address(&memory.here);
    const int from = w.ahead ? 0 : bytes_of_a;  // scales follow plane A in both memories
    ptx::expect_bytes(here, bytes_of_front - from);
    ptx::load_bytes(ptx::shared_address(memory.a) + static_cast<unsigned>(from), rows.front + from,
                    bytes_of_front - from, here);
}

/// Sets what is multiplied, from the number of units that are read of each input.
__device__ void weigh(LaneInputs& read, const float4& v, float scale, const float4 (&gain)[units]) {
#pragma unroll
    for (int i = 0; i < own; ++i) {
        const unsigned k = read.k[i];
        read.v[i] = k > 0 ? __fmul_rn(__fmul_rn(part_of(v, i), scale), k > 2   ? part_of(gain[2], i)
                                                                       : k > 1 ? part_of(gain[1], i)
                                                                               : part_of(gain[0], i))
                          : 0.f;
    }
}

/// The expert of a product; -1: one that there isn't, which only the device knows. Whoever chose it has ended then.
__device__ int expert_of(const Params& w, int product) {
    if (!w.experts_there) return w.experts[product];
    ptx::wait_for_kernel_before();
    const int expert = w.experts_there[product];
    return expert >= 0 && expert < w.m.experts ? expert : -1;
}

/// `together`: blocks that choose together; each counts at most `groups` times 2048 inputs.
template <int together, int groups>
__global__ void __launch_bounds__(threads, 1) planes_choosing(const __grid_constant__ Params w) {
    constexpr int in_front = 3, behind = 2,
                  at_once = 6;  // warps that load plane A before the vector, right after it, and at each later step
    extern __shared__ uint4 block_memory[];
    SharedMemory<together>& shared = *reinterpret_cast<SharedMemory<together>*>(block_memory);
    const int thread = static_cast<int>(threadIdx.x), warp = __shfl_sync(~0u, thread / 32, 0),
              rank = ptx::own_rank<ranks>();
    const int cluster = static_cast<int>(blockIdx.x) / ranks;
    const int place =
        w.chunks == 1 ? cluster : static_cast<int>(__umulhi(static_cast<unsigned>(cluster), w.inverse_of_chunks));
    BlockPlace at(place, w.m.tiles);
    at.chunk = cluster - place * w.chunks;
    const Share share(w, at, rank, together);
    const Lane my;
    WarpMemory& memory = shared.warp_memory[warp];
    const std::uint32_t here = ptx::shared_address(&memory.here);
    const auto rows_of_warp = [&](const BlockPlace& at, const Share& share, int expert) {
        return Rows(tile_of(w, at, max(expert, 0)), w.m.inputs_apart, share.first_of_warp());
    };

    ptx::let_next_kernel_begin();
    const int expert = expert_of(w, at.product);
    if (thread == 0) shared.sums.expect(rank), shared.at = at, shared.share = share, shared.expert = expert;
    shared.choice.clear();
    ptx::arrive_at_ranks<ranks>();  // both have begun and cleared their counters
    const std::int64_t of_expert = std::int64_t{max(expert, 0)} * w.m.inputs_apart;
    const float *importance = w.m.importance + of_expert, *vector = w.v + at.product * w.v_step;
    Inputs counted[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) counted[g].ask_importance(w, importance, share.counted, place_of(g));
    float4 gain[units] = {};
#pragma unroll
    for (int u = 0; u < units; ++u)
        if (share.there() > 0)
            gain[u] = __ldg(reinterpret_cast<const float4*>(w.m.gains + units * of_expert +
                                                            u * std::int64_t{w.m.inputs_apart} + share.first()));
    if (my.lane == 0) {
        ptx::init_barrier(here, 1);
        ptx::publish_barriers();
    }
    __syncwarp();  // racecheck takes the lane that sets the barrier for another than the one that arrives on it
    const bool begins_copies = my.lane == 0 && share.first_of_warp() < share.end;
    const int own_step = w.everything || warp < in_front ? 0
                         : warp < in_front + behind      ? -1
                                                         : 1 + (warp - in_front - behind) / at_once;
    if (begins_copies && own_step == 0) begin_copies(w, memory, rows_of_warp(at, share, expert));
    ptx::wait_for_kernel_before();
#pragma unroll
    for (int g = 0; g < groups; ++g) counted[g].ask_vector(w, vector);
    if (begins_copies && own_step == -1) begin_copies(w, memory, rows_of_warp(at, share, expert));
    __syncthreads();  // while keys are counted
    ptx::wait_for_ranks<ranks>();

    unsigned most = 0;
#pragma unroll
    for (int g = 0; g < groups; ++g) most = max(most, counted[g].most());
    most = cutoff_search::largest_of(shared.choice, most, rank % together);
    // The other loads of plane A are staggered: issued now they would delay the vector, and the issuing warps would
    // stall.
    const auto ask_at = [&](int step) {
        if (begins_copies && own_step == step)
            begin_copies(w, memory, rows_of_warp(shared.at, shared.share, shared.expert));
        __syncwarp();
    };
    ask_at(1);
    const float scale = scale_for(most);
    const float4 v = counted[0].v;
    const Keys<groups> keys(counted, scale, shared.share.counted);
    const bool is_chosen = !w.everything && w.reached > 0;
    unsigned asked = 0;  // inputs whose plane A was requested singly
    if (is_chosen) {
        cutoff_search::count_keys(shared.choice, keys.of, cutoff_search::top_of(w));
        cutoff_search::find_bin<units>(w, shared.choice, [&] { ask_at(2); });
        if (!w.ahead) {
            asked = keys.before(w, shared.choice.bin, shared.share.there());
            copy_of_a(memory, my, rows_of_warp(shared.at, shared.share, shared.expert), asked);
        }
        cutoff_search::find_cutoff<units>(
            w, shared.choice, keys.of, scale, [&](int n) { return keys.input(n); },
            [&](const auto& act) { keys.each(w, act); });
    } else {
        ask_at(2);
    }
    const cutoff_search::Cutoff cutoff = is_chosen ? shared.choice.cutoff : cutoff_search::Cutoff{};
    const int first = shared.share.first(), of_thread = shared.share.there();
    LaneInputs read;
    if (!w.everything) count_units(w, cutoff, keys.of, first, of_thread, read.k);
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (w.everything) read.k[i] = i < of_thread ? units : 0;
    weigh(read, v, scale, gain);
    if (shared.at.tile == (warp < w.m.tiles ? warp : warp % w.m.tiles))
        note(w, shared.at, first, of_thread, read);  // a share: a block that wrote all notes would finish last
    if (shared.at.tile == 0 && shared.at.chunk == 0 && rank == 0 && thread == 0)
        w.chosen[shared.at.product] =
            conclude(w, static_cast<unsigned>(w.m.inputs), w.everything ? 0 : cutoff.row.worth, most);
    float4 total[2] = {};
    if (shared.share.first_of_warp() < shared.share.end) {
        const Rows rows = rows_of_warp(shared.at, shared.share, shared.expert);
        const auto wait = [&] {
            ptx::wait_for_copies<0>();
            ptx::wait_barrier(here, 0);
        };
        if (!w.ahead) copy_of_a(memory, my, rows, read.those() & ~asked);
        if (__any_sync(~0u, read.k[0] + read.k[1] + read.k[2] + read.k[3] > 0))
            Chunk(memory, rows).multiply_all<8, 3>(read, w.reads_most, total, wait);
        else wait();  // copies must not arrive after the memory is used again
    }
    const double factor = shared.expert < 0 ? not_a_number() : factor_of(w, most);
    add_up<ranks, true>(w, shared.at, shared.warp_memory, shared.sums, total, rank, factor);
}

template <int together, int groups>
Status start(const Params& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * w.chunks * ranks);
    return launch(planes_choosing<together, groups>,
                  {.blocks = count,
                   .threads = threads,
                   .shared = sizeof(SharedMemory<together>),
                   .cluster = ranks,
                   .overlaps = true},
                  stream, w);
}

}  // namespace
}  // namespace plane_kernels

int clusters_of_planes(int inputs, int tiles, int processors) {
    using namespace plane_kernels;
    constexpr int most_counted = 4 * share, least_inputs = 512;
    if (inputs > ranks * most_counted) return 0;
    const int needed = (inputs + ranks * share - 1) / (ranks * share), worth_it = inputs / (ranks * least_inputs),
              at_once = processors / (ranks * tiles);
    return std::max(needed, std::min(worth_it, at_once));
}

Status start_planes_choosing(Params w, int products, void* stream) {
    using namespace plane_kernels;
    const int together =
        w.m.inputs <= 2 * share ? 1 : ranks;  // exchanging counters takes as long as counting twice as much
    const auto share_of = [](int inputs, int among, int step) {
        return (inputs + among * step - 1) / (among * step) * step;
    };
    w.counted_of_rank = share_of(w.m.inputs, together, chunk),
    w.inputs_of_rank = share_of(w.counted_of_rank, ranks * w.chunks / together, chunk);
    w.inverse_of_chunks = static_cast<unsigned>((std::uint64_t{1} << 32) / static_cast<unsigned>(w.chunks) + 1);
    w.is_even = w.m.inputs % 4 == 0 && w.v_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(w.v) % 16 == 0;
    return together == 1 ? start<1, 2>(w, products, stream)
                         : start<ranks, 4>(w, products, stream);  // two instantiations only: binary size
}

}  // namespace tw::cuda::effort
