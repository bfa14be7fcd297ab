// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_select: one cluster of blocks chooses which units of which inputs a product of planes reads. A row (unit u of
// input i) is worth the bits of |v_i| * importance[i], lowered by the unit's fall. The cutoff is found by a radix
// search: 11, 10 and 10 bits of it at a time. Atomics only count integers, so their order does not matter: the choice
// is the CPU's, bit for bit, in every run.
//
//   block 0  |####| -> |..|###|..|..| -+                      inputs         an entry for each
//   block 1  |####| -> |..|##|...|..| -+-> sum, cutoff: 3x ->  k = 2 0 | 1 3 ..  ->  (0,2) (1,0) | (2,1) ..
//      ..                            -+
//
// On sm_90 the kernel that multiplies chooses itself for planes of up to 16384 inputs (planes/choosing_sm90.cu), and
// always for buckets and tiers. Needs: sm_80; on sm_90 eight blocks read each other's counters, before it one block
// does all. It begins while the kernel before it still runs, and lets the blocks of the multiplication begin, which
// wait for it. Counts, I inputs, U units: loads 4 (8 + U) I and 4 I of gains, most of them from the caches; stores 12 I
// + 24.
#include "backend/cuda/effort/choice/select_cutoff.cuh"

namespace tw::cuda::effort {
namespace selection {
namespace {

/// Inputs of a rank: a multiple of 16 bytes in an array of f32.
__host__ __device__ constexpr int share_of(int inputs, int ranks) { return ((inputs + ranks - 1) / ranks + 3) / 4 * 4; }

/// How many rows at the cutoff each rank may read, in the order of (unit, input).
template <int ranks>
__device__ void share_out(const Params& w, const Rows& rows, SharedMemory& shared, unsigned worth, int rank) {
    for (int i = rows.begin + static_cast<int>(threadIdx.x); i < rows.end && !w.everything; i += threads)
        for (int u = 0; u < rows.units; ++u)
            if (rows.worth(u, i) == worth) atomicAdd(&shared.published[u], 1u);
    ptx::publish_to_ranks<ranks>();
    if (threadIdx.x >= 32) return;
    const int u = static_cast<int>(threadIdx.x);
    std::uint32_t ties[ranks][1];
    unsigned before = 0, all = 0;
#pragma unroll
    for (int r = 0; r < ranks; ++r) ptx::read_in(ptx::shared_address(shared.published + u), r, ties[r]);
#pragma unroll
    for (int r = 0; r < ranks; ++r) {
        all += ties[r][0];
        if (r < rank) before += ties[r][0];
    }
    unsigned long long spent = shared.above;
    for (int lower = 0; lower < rows.units; ++lower) {
        const unsigned of_it = __shfl_sync(~0u, all, lower);
        if (lower < u) spent += static_cast<unsigned long long>(of_it) * w.m.weights[lower];
    }
    unsigned allowed = 0;
    if (u < rows.units && spent <= w.affordable)
        allowed = min(all, static_cast<unsigned>((w.affordable - spent) / w.m.weights[u]));
    shared.before[u] = before, shared.allowed[u] = allowed;
}

/// Writes the entries: how many units of each input are read.
__device__ void list_entries(const Params& w, const Rows& rows, SharedMemory& shared, unsigned worth,
                             const float* gains, EffortEntry* entries) {
    for (int first = rows.begin; first < rows.end; first += threads) {
        const int i = first + static_cast<int>(threadIdx.x);
        const bool there = i < rows.end;
        int k = w.everything && there ? rows.units : 0;
        unsigned at_cutoff = 0;
        for (int u = 0; u < rows.units && there && !w.everything; ++u) {
            const unsigned mine = rows.worth(u, i);
            if (mine < worth) break;
            if (mine > worth) ++k;
            else at_cutoff |= 1u << u;
        }
        for (int u = 0; u < rows.units; ++u) {
            if (shared.published[u] == 0) continue;  // the same for all threads
            unsigned all;
            const unsigned tie = at_cutoff >> u & 1, before = shared.before[u],
                           below = prefix_of(tie, shared.sums, all);
            if (tie && before + below < shared.allowed[u]) ++k;
            if (threadIdx.x == 0) shared.before[u] = before + all;
        }
        if (there)
            entries[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k),
                          __fmul_rn(__fmul_rn(rows.v[i], rows.scale), gains[(max(k, 1) - 1) * rows.apart + i])};
    }
}

template <int ranks>
__global__ void __launch_bounds__(threads, 2) select_units(const __grid_constant__ Params w, bool keeps_worths) {
    if (!ptx::is_launched<ranks>) return;
    extern __shared__ uint4 memory[];
    SharedMemory& shared = *reinterpret_cast<SharedMemory*>(memory);
    float* kept = reinterpret_cast<float*>(&shared + 1);
    const int rank = ptx::own_rank<ranks>(), product = static_cast<int>(blockIdx.x) / ranks,
              expert = w.experts[product];
    const int inputs = w.m.inputs, units = w.m.units;
    const std::int64_t of_product = inputs, apart = w.m.inputs_apart;
    const int share = share_of(inputs, ranks), begin = min(inputs, rank * share), end = min(inputs, begin + share);
    const float* importance = w.m.importance + expert * apart;
    const float* gains = w.m.gains + expert * units * apart;

    ptx::let_next_kernel_begin();
    for (int b = static_cast<int>(threadIdx.x); b < high_bins; b += threads) shared.high[b] = 0;
    for (int b = static_cast<int>(threadIdx.x); b < bins; b += threads) shared.middle[b] = shared.low[b] = 0;
    if (threadIdx.x < most_units) shared.published[threadIdx.x] = 0;
    if (threadIdx.x == 0) shared.above = 0;
    const float* v = w.v + product * w.v_step;
    Rows rows{v, importance, w, 0, inputs, units, begin, end, apart, keeps_worths ? kept : nullptr};
    if (!w.everything) rows.keep_importance();
    if (threadIdx.x == 0 && inputs % 4 == 0 && end > begin) {
        const unsigned bytes = 4 * static_cast<unsigned>(end - begin);
        for (int u = 0; u < units; ++u) ptx::bring_closer(gains + u * apart + begin, bytes);
    }
    ptx::wait_for_kernel_before();

    const unsigned most = most_of(v, inputs, shared.sums);
    rows.scale = scale_for(most);
    for (int i = begin + static_cast<int>(threadIdx.x); i < end && keeps_worths && !w.everything; i += threads) {
        const unsigned key = rows.key(i, rows.kept_at(0, i));
        for (int u = 0; u < units; ++u) rows.kept_at(u, i) = __uint_as_float(lowered(w, key, u));
    }
    const bool is_nothing = w.reached == 0 && !w.everything;
    const unsigned worth = w.everything ? 0 : is_nothing ? 0x7fffffffu : find_cutoff<ranks>(w, rows, shared, rank);
    __syncthreads();
    share_out<ranks>(w, rows, shared, worth, rank);
    __syncthreads();
    list_entries(w, rows, shared, worth, gains, w.entries + product * of_product);
    if (rank == 0 && threadIdx.x == 0) w.chosen[product] = conclude(w, static_cast<unsigned>(inputs), worth, most);
    ptx::sync_ranks<ranks>();
}

template <int ranks>
Status start(const Params& w, int products, void* stream) {
    constexpr std::size_t most_kept = (ranks > 1 ? 200 : 64) * std::size_t{1024};
    const std::size_t kept =
        std::size_t{4} * static_cast<std::size_t>(w.m.units) * static_cast<std::size_t>(share_of(w.m.inputs, ranks));
    const bool keeps_worths = kept <= most_kept;
    return launch(select_units<ranks>,
                  {.blocks = static_cast<unsigned>(products * ranks),
                   .threads = threads,
                   .shared = sizeof(SharedMemory) + (keeps_worths ? kept : 0),
                   .cluster = ranks,
                   .overlaps = true},
                  stream, w, keeps_worths);
}

}  // namespace
}  // namespace selection

Status start_selection(const Params& w, int products, bool has_clusters, void* stream) {
    using namespace selection;
    return has_clusters ? start<most_ranks>(w, products, stream) : start<1>(w, products, stream);
}

}  // namespace tw::cuda::effort
