// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_select_planes: the selection for planes, a thread four neighbouring inputs, whose twelve worths stay in registers. One round of
// counting over the sixteen octaves below the most that a worth can be finds the bin of the cutoff; the few worths in that bin are
// ranked against each other by every block. Where too many are alike (inputs that are zero, say), it is found by counting 11, 10 and 10 bits.
//
//   worths -> |..|###|..|..| -> bin -> its worths, of all blocks -> cutoff, ties -> k = 2 0 | 1 3 .. -> (0,2) | (2,1) (3,3) ..
//
// What does not depend on v is on its way before the kernel in front has ended, and lies in shared memory when it is needed.
// Atomics count whole numbers alone, or gather what is ranked in no order: the choice is the CPU's, bit for bit, on any run.
// Needs: sm_90. Counts, I inputs, E entries: loads 44 I a product; stores 12 E + 24.
#include "backend/cuda/effort_select.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int units = 3, own = 4, constants = 2 * units + 1;
constexpr int bins = 4096, shift = 15, high_bins = 2048, low_bins = 1024, most_alike = 256;
constexpr unsigned nothing_worth = 0x7fffffffu;

struct Alike {
    unsigned worth, unit, rank;
};

template <int threads>
struct Desk {
    static constexpr int warps = threads / 32;
    alignas(16) unsigned window[bins], high[high_bins], middle[low_bins], low[low_bins];
    uint4 constant[constants][threads];      ///< of the thread's own inputs: left, then gains
    Alike own_alike[most_alike], alike[most_alike];
    unsigned count_alike, most[2][32];
    unsigned sums[8][32];                    ///< of warps: each for one sum of the kernel
    unsigned bin, above;
    unsigned worth, spent;                   ///< the cutoff, and what is worth more weighs
    unsigned of_rank[units], ties[units], before[units];  ///< rows at the cutoff: own, of all blocks, and of earlier ones
    unsigned entries;
    alignas(16) double lost[warps][2];       ///< and the whole
};

__device__ unsigned prefix_of_warp(unsigned x) {
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const unsigned other = __shfl_up_sync(~0u, x, step);
        if (static_cast<int>(threadIdx.x) % 32 >= step) x += other;
    }
    return x;
}

/// The sum over the threads before this one; `all` is that over all threads. `sums` is used once.
template <int threads>
__device__ unsigned prefix_of(unsigned x, unsigned (&sums)[32], unsigned& all) {
    const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    const unsigned upto = prefix_of_warp(x);
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    const unsigned of_warp = lane < threads / 32 ? sums[lane] : 0, upto_warp = prefix_of_warp(of_warp);
    all = __shfl_sync(~0u, upto_warp, 31);
    return __shfl_sync(~0u, upto_warp - of_warp, warp) + upto - x;
}

/// What one thread knows.
struct Own {
    int begin;                ///< the first of four inputs
    bool there;
    float v[own];
    unsigned worths[units][own];
};

/// From the top bin down, over all ranks' counters: the first that brings the sum to what is to be reached, and the sum above it.
template <int ranks, int threads, int count>
__device__ void descend(Desk<threads>& desk, const unsigned (&counters)[count], int step, unsigned reached, unsigned above, int rank) {
    constexpr int of_thread = count / threads, width = of_thread < 4 ? of_thread : 4, parts = of_thread / width;
    const int top = count - of_thread * (1 + static_cast<int>(threadIdx.x));
    unsigned mine[of_thread] = {}, sum = 0, all;
    std::uint32_t read[ranks][parts][width];  // all asked for before any is needed
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int p = 0; p < parts; ++p) ptx::read_in(ptx::shared_address(counters + top + p * width), (rank + r) % ranks, read[r][p]);
#pragma unroll
    for (int r = 0; r < ranks; ++r)
#pragma unroll
        for (int b = 0; b < of_thread; ++b) mine[b] += read[r][b / width][b % width];
#pragma unroll
    for (int b = 0; b < of_thread; ++b) sum += mine[b];
    if (threadIdx.x == 0) desk.bin = count - 1, desk.above = above;
    unsigned before = above + prefix_of<threads>(sum, desk.sums[step], all);
#pragma unroll
    for (int b = of_thread - 1; b >= 0; --b) {
        if (before < reached && before + mine[b] >= reached) desk.bin = static_cast<unsigned>(top + b), desk.above = before;
        before += mine[b];
    }
    __syncthreads();
}

/// The cutoff by its bits, and what lies at it: for any worths.
template <int ranks, int threads>
__device__ void count_bits(const Work& w, const Own& mine, Desk<threads>& desk, int rank) {
    const auto count = [&](unsigned* counters, int lowest, unsigned mask, unsigned known, int known_shift) {
#pragma unroll
        for (int u = 0; u < units; ++u)
#pragma unroll
            for (int i = 0; i < own; ++i) {
                const unsigned worth = mine.worths[u][i];
                if (mine.there && (known_shift == 31 || worth >> known_shift == known)) atomicAdd(counters + (worth >> lowest & mask), w.m.weights[u]);
            }
        ptx::publish_to_ranks<ranks>();
    };
    count(desk.high, 20, high_bins - 1, 0, 31);
    descend<ranks, threads>(desk, desk.high, 1, w.reached, 0, rank);
    unsigned found = desk.bin, above = desk.above;
    count(desk.middle, 10, low_bins - 1, found, 20);
    descend<ranks, threads>(desk, desk.middle, 2, w.reached, above, rank);
    found = found << 10 | desk.bin, above = desk.above;
    count(desk.low, 0, low_bins - 1, found, 10);
    descend<ranks, threads>(desk, desk.low, 3, w.reached, above, rank);
    found = found << 10 | desk.bin;
#pragma unroll
    for (int u = 0; u < units; ++u) {
        unsigned ties = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) ties += mine.there && mine.worths[u][i] == found;
        ties = __reduce_add_sync(~0u, ties);
        if (threadIdx.x % 32 == 0 && ties > 0) atomicAdd(&desk.of_rank[u], ties);
    }
    ptx::publish_to_ranks<ranks>();
    if (threadIdx.x < units) {
        const int u = static_cast<int>(threadIdx.x);
        unsigned all = 0, before = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            std::uint32_t ties[1];
            ptx::read_in(ptx::shared_address(desk.of_rank + u), r, ties);
            all += ties[0];
            if (r < rank) before += ties[0];
        }
        desk.ties[u] = all, desk.before[u] = before;
    }
    if (threadIdx.x == 0) desk.worth = found, desk.spent = desk.above;
    __syncthreads();
}

/// The cutoff, and what lies at it.
template <int ranks, int threads>
__device__ void find_cutoff(const Work& w, const Own& mine, Desk<threads>& desk, unsigned most_worth, int rank) {
    constexpr unsigned octaves = static_cast<unsigned>(bins) << shift, whole_bin = (1u << shift) - 1;
    const unsigned base = most_worth + whole_bin > octaves ? most_worth + whole_bin - octaves : 0;
    const auto bin_of = [&](unsigned worth) { return worth > base ? min(static_cast<unsigned>(bins - 1), (worth - base) >> shift) : 0; };
#pragma unroll
    for (int u = 0; u < units; ++u)
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (mine.there) atomicAdd(desk.window + bin_of(mine.worths[u][i]), w.m.weights[u]);
    ptx::publish_to_ranks<ranks>();
    descend<ranks, threads>(desk, desk.window, 0, w.reached, 0, rank);
    const unsigned bin = desk.bin, above = desk.above;
#pragma unroll
    for (int u = 0; u < units; ++u)
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (mine.there && bin_of(mine.worths[u][i]) == bin) {
                const unsigned at = atomicAdd(&desk.count_alike, 1u);
                if (at < most_alike) desk.own_alike[at] = {mine.worths[u][i], static_cast<unsigned>(u), static_cast<unsigned>(rank)};
            }
    ptx::publish_to_ranks<ranks>();
    unsigned counts[ranks], all = 0;
#pragma unroll
    for (int r = 0; r < ranks; ++r) {
        std::uint32_t one[1];
        ptx::read_in(ptx::shared_address(&desk.count_alike), r, one);
        counts[r] = one[0], all += one[0];
    }
    if (all > most_alike) return count_bits<ranks>(w, mine, desk, rank);  // the same for all blocks
    const Alike* alike = desk.own_alike;
    if constexpr (ranks > 1) {
        unsigned to = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            for (unsigned c = threadIdx.x; c < counts[r]; c += threads) {
                std::uint32_t worth[1], unit[1];
                ptx::read_in(ptx::shared_address(&desk.own_alike[c].worth), r, worth);
                ptx::read_in(ptx::shared_address(&desk.own_alike[c].unit), r, unit);
                desk.alike[to + c] = {worth[0], unit[0], static_cast<unsigned>(r)};
            }
            to += counts[r];
        }
        __syncthreads();
        alike = desk.alike;
    }
    for (unsigned c = threadIdx.x; c < all; c += threads) {
        const Alike one = alike[c];
        unsigned before = above, same = 0;
#pragma unroll 4
        for (unsigned x = 0; x < all; ++x) {
            const unsigned worth = alike[x].worth, weight = w.m.weights[alike[x].unit];
            before += worth > one.worth ? weight : 0;
            same += worth == one.worth ? weight : 0;
        }
        if (before >= w.reached || before + same < w.reached) continue;
        desk.worth = one.worth, desk.spent = before;
        atomicAdd(&desk.ties[one.unit], 1u);
        if (one.rank < static_cast<unsigned>(rank)) atomicAdd(&desk.before[one.unit], 1u);
    }
    __syncthreads();
}

/// How many units of each of the thread's inputs are read; of the rows at the cutoff as many as may be, in the order of (unit, input).
template <int threads>
__device__ void choose(const Work& w, const Own& mine, Desk<threads>& desk, unsigned (&k)[own]) {
#pragma unroll
    for (int i = 0; i < own; ++i) k[i] = w.everything && mine.there ? units : 0;
    if (w.everything) return;
    const unsigned worth = desk.worth;
    unsigned long long spent = desk.spent;
#pragma unroll
    for (int u = 0; u < units; ++u) {
        const unsigned ties = desk.ties[u], weight = w.m.weights[u];
        const unsigned long long left = spent <= w.affordable ? w.affordable - spent : 0, wanted = static_cast<unsigned long long>(ties) * weight;
        const unsigned allowed = wanted <= left ? ties : static_cast<unsigned>(left) / weight;
        spent += wanted;
        unsigned at_cutoff = 0, taken_before = 0;
#pragma unroll
        for (int i = 0; i < own; ++i) {
            k[i] += mine.there && mine.worths[u][i] > worth;
            at_cutoff |= static_cast<unsigned>(mine.there && mine.worths[u][i] == worth) << i;
        }
        if (allowed < ties && allowed > 0) {  // for all threads alike
            unsigned all;
            taken_before = desk.before[u] + prefix_of<threads>(__popc(at_cutoff), desk.sums[4 + u], all);
        }
#pragma unroll
        for (int i = 0; i < own; ++i)
            if ((at_cutoff >> i & 1) && taken_before++ < allowed) ++k[i];
    }
}

template <int ranks, int threads>
__global__ void __launch_bounds__(threads, 1) select_planes(const __grid_constant__ Work w) {
    extern __shared__ uint4 memory[];
    Desk<threads>& desk = *reinterpret_cast<Desk<threads>*>(memory);
    const int thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32;
    const int rank = ptx::own_rank<ranks>(), product = static_cast<int>(blockIdx.x) / ranks, inputs = w.m.inputs;
    const std::int64_t of_unit = inputs, expert = w.experts[product];
    const float* statistics = w.m.statistics + expert * units * of_unit;
    const float* v = w.v + product * w.v_step;
    Own mine;
    mine.begin = own * (rank * threads + thread), mine.there = mine.begin < inputs;

    ptx::let_next_kernel_begin();
    float4 statistic[units] = {};
    if (mine.there) {
#pragma unroll
        for (int u = 0; u < units; ++u) statistic[u] = __ldg(reinterpret_cast<const float4*>(statistics + u * of_unit + mine.begin));
        const float* left = w.m.left + expert * (units + 1) * of_unit + mine.begin;
        const float* gains = w.m.gains + expert * units * of_unit + mine.begin;
#pragma unroll
        for (int u = 0; u < constants; ++u)
            ptx::copy_16(ptx::shared_address(&desk.constant[u][thread]), u <= units ? left + u * of_unit : gains + (u - units - 1) * of_unit, 16);
    }
    ptx::commit_copies();
    for (int b = thread; b < bins; b += threads) desk.window[b] = desk.high[b % high_bins] = desk.middle[b % low_bins] = desk.low[b % low_bins] = 0;
    if (thread < units) desk.of_rank[thread] = desk.ties[thread] = desk.before[thread] = 0;
    if (thread == 0) desk.count_alike = 0, desk.worth = nothing_worth, desk.spent = 0;
    unsigned most_statistic = 0, most = 0;  // the first unit's are the greatest
    for (int i = thread; i < inputs; i += threads) most_statistic = max(most_statistic, __float_as_uint(statistics[i]));
    ptx::wait_for_kernel_before();

    for (int tile = thread; tile < w.m.tiles && rank == 0; tile += threads) w.arrived[product * w.m.tiles + tile] = 0;
#pragma unroll
    for (int i = 0; i < own; ++i) mine.v[i] = mine.there ? v[mine.begin + i] : 0.f;
#pragma unroll
    for (int i = 0; i < own; ++i) most = max(most, __float_as_uint(mine.v[i]) & 0x7fffffffu);
    if constexpr (ranks > 1)
#pragma unroll 8
        for (int i = thread; i < inputs; i += threads) most = max(most, __float_as_uint(v[i]) & 0x7fffffffu);
    most = __reduce_max_sync(~0u, most), most_statistic = __reduce_max_sync(~0u, most_statistic);
    if (lane == 0) desk.most[0][warp] = most, desk.most[1][warp] = most_statistic;
    __syncthreads();
    most = __reduce_max_sync(~0u, lane < threads / 32 ? desk.most[0][lane] : 0);
    most_statistic = __reduce_max_sync(~0u, lane < threads / 32 ? desk.most[1][lane] : 0);
    const float scale = scale_for(most);
    if (!w.everything) {
#pragma unroll
        for (int u = 0; u < units; ++u)
#pragma unroll
            for (int i = 0; i < own; ++i) {
                const float of_input = i == 0 ? statistic[u].x : i == 1 ? statistic[u].y : i == 2 ? statistic[u].z : statistic[u].w;
                mine.worths[u][i] = __float_as_uint(__fmul_rn(__fmul_rn(fabsf(mine.v[i]), scale), of_input)) & 0x7fffffffu;
            }
        constexpr unsigned double_it = 1u << 23;  // |v| times the scale is below 2
        find_cutoff<ranks, threads>(w, mine, desk, most_statistic + double_it, rank);
    }
    unsigned k[own], count = 0;
    choose(w, mine, desk, k);

    ptx::wait_for_copies<0>();
    double lost = 0, whole = 0;
    float gain[own] = {};
    if (mine.there) {
#pragma unroll
        for (int i = 0; i < own; ++i) {
            const auto constant = [&](unsigned n) { return reinterpret_cast<const float*>(&desk.constant[n][thread])[i]; };
            const double square = static_cast<double>(mine.v[i]) * static_cast<double>(mine.v[i]);
            whole += square * static_cast<double>(constant(0));
            lost += square * static_cast<double>(constant(k[i]));
            if (k[i] > 0) gain[i] = constant(units + k[i]), ++count;
        }
    }
    lost = sum_of_warp(lost), whole = sum_of_warp(whole);
    if (lane == 0) desk.lost[warp][0] = lost, desk.lost[warp][1] = whole;
    unsigned all;
    unsigned at = prefix_of<threads>(count, desk.sums[7], all), entries = all;
    if constexpr (ranks > 1) {
        if (thread == 0) desk.entries = all;
        ptx::publish_to_ranks<ranks>();
        entries = 0;
#pragma unroll
        for (int r = 0; r < ranks; ++r) {
            std::uint32_t of_rank[1];
            ptx::read_in(ptx::shared_address(&desk.entries), r, of_rank);
            entries += of_rank[0];
            if (r < rank) at += of_rank[0];
        }
    }
    EffortEntryOnDevice* to = w.entries + product * of_unit;
#pragma unroll
    for (int i = 0; i < own; ++i)
        if (k[i] > 0) to[at++] = {static_cast<std::uint32_t>(mine.begin + i), k[i], __fmul_rn(__fmul_rn(mine.v[i], scale), gain[i])};
    if (rank == 0 && warp == 0) {
        lost = whole = 0;
#pragma unroll
        for (int r = 0; r < ranks && lane < threads / 32; ++r) {
            std::uint32_t both[4];
            ptx::read_in(ptx::shared_address(&desk.lost[lane][0]), r, both);
            lost += __hiloint2double(static_cast<int>(both[1]), static_cast<int>(both[0]));
            whole += __hiloint2double(static_cast<int>(both[3]), static_cast<int>(both[2]));
        }
        lost = sum_of_warp(lost), whole = sum_of_warp(whole);
        if (lane == 0) w.chosen[product] = conclude(w, entries, w.everything ? 0 : desk.worth, most, lost, whole);
    }
    if constexpr (ranks > 1) ptx::sync_ranks<ranks>();
}

template <int ranks, int threads>
Status start(const Work& w, int products, void* stream) {
    return launch(select_planes<ranks, threads>,
                  {.blocks = static_cast<unsigned>(products * ranks), .threads = threads, .shared = sizeof(Desk<threads>), .cluster = ranks, .overlaps = true},
                  stream, w);
}

}  // namespace

bool selects_in_registers(const EffortOnDevice& m) {
    return m.layout == EffortLayout::planes && m.units == units && m.inputs % own == 0 && m.inputs <= 4 * 1024 * own;
}

Status start_selection_in_registers(const Work& w, int products, void* stream) {
    constexpr int few = 4096;
    // Where all is read the kernel in front fills the device to its end: more and smaller blocks find a place earlier.
    if (w.everything) return w.m.inputs <= few ? start<4, 256>(w, products, stream) : start<8, 512>(w, products, stream);
    return w.m.inputs <= few ? start<2, 512>(w, products, stream) : start<4, 1024>(w, products, stream);
}

}  // namespace tw::cuda::effort
