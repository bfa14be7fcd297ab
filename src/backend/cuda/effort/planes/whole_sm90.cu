// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes_whole: y = W v with all planes, which are read once for up to four vectors. The chunks of all tiles,
// 128 inputs by 256 outputs each, are cut into equal runs for as many blocks as multiprocessors; a warp takes every
// sixth chunk of its block's run. Scales and plane A go to a place of their own, plane B and the halves of plane C
// through a ring, and what comes next is asked for when its place is free: the memory never waits for a tile's end.
//
//   chunks of  tile 0         tile 1             warp:  front  B  C C  front  B  C C ..
//              |block 0   |block 1   |block 2    v d rounded, A and B multiplied, C
//   sums of warps, then of the blocks that share a tile, by mailboxes, each in order -> y
//
// No kernel writes planes, so that they are asked for before the kernel in front has ended. A vector has the same bits
// alone and beside others.
// Needs: sm_90. Counts, for I inputs and O outputs: loads 1.06 I O bytes; for each vector 4 I a block, 8 mma of 16 x 8
// x 32 for 8 inputs by 256 outputs; stores the outputs.
#include <algorithm>

#include "backend/cuda/device/device.hpp"
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/planes/sum.cuh"
#include "backend/cuda/effort/planes/whole_chunk.cuh"
#include "backend/cuda/effort/planes/whole_feed.cuh"
#include "backend/cuda/effort/runs.cuh"

namespace tw::cuda::effort {
namespace whole {
namespace {

template <int vectors>
struct SharedMemory {
    WarpMemory<vectors> warp_memory[warps];
    float sums[warps][outputs];
    unsigned largest[vectors][warps];
};

/// Vectors from `first` on; `products` of them there are in all.
template <int vectors>
__global__ void __launch_bounds__(threads, 1)
    planes_whole(const __grid_constant__ Params w, int first, int products, std::uint64_t* mailboxes) {
    constexpr int slots = slots_of(vectors);
    extern __shared__ uint4 block_memory[];
    SharedMemory<vectors>& shared = *reinterpret_cast<SharedMemory<vectors>*>(block_memory);
    const int thread = static_cast<int>(threadIdx.x), warp = __shfl_sync(~0u, thread / 32, 0),
              block = static_cast<int>(blockIdx.x), inputs = w.m.inputs_apart, chunks = inputs / chunk;
    const Lane my;
    const Runs runs(w.m.tiles * chunks, 1);
    const int begin = runs.begin_of(block), end = runs.begin_of(block + 1);
    WarpMemory<vectors>& memory = shared.warp_memory[warp];
    const int own_first = begin + warp;
    Place at{own_first / chunks, own_first % chunks * chunk, (end - own_first + warps - 1) / warps};
    Feed<vectors> feed(w, memory, at);
    if (my.lane == 0) {
        ptx::init_barrier(feed.front_here, 1);
        for (int s = 0; s < slots; ++s) ptx::init_barrier(feed.here + 8 * s, 1);
        ptx::publish_barriers();
        feed.ask_front();
        for (int s = 0; s < slots; ++s) feed.ask_step();
    }
    __syncwarp();
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    const float* vector[vectors];
    unsigned most[vectors] = {};
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
        vector[k] = w.v + min(first + k, products - 1) * w.v_step;
        for (int i = own * thread; i < w.m.inputs; i += own * threads)
            most[k] = max(most[k], largest_size(four_of(w, vector[k], i)));
        most[k] = __reduce_max_sync(~0u, most[k]);
        if (my.lane == 0) shared.largest[k][warp] = most[k];
    }
    const float* gains = w.m.gains + (of_planes::units - 1) * inputs;
    LaneVectors<vectors> next;
    if (at.left > 0) next.ask(w, vector, gains, at.input + own * my.lane);
    __syncthreads();
    float scale[vectors];
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
#pragma unroll
        for (int other = 0; other < warps; ++other) most[k] = max(most[k], shared.largest[k][other]);
        scale[k] = scale_for(most[k]);
        if (block == 0 && thread == 0 && first + k < products)
            w.chosen[first + k] = conclude(w, static_cast<unsigned>(w.m.inputs), 0, most[k]);
    }

    float4 total[vectors][2] = {};
    int slot = 0;
    std::uint32_t parity = 0, front_parity = 0;
    const auto wait_for_step = [&] { ptx::wait_barrier(feed.here + 8 * slot, parity); };
    const auto free_step = [&] {
        if (++slot == slots) slot = 0, parity ^= 1;
        __syncwarp();
        if (my.lane == 0) feed.ask_step();
    };
    for (int tile = begin / chunks; tile * chunks < end; ++tile) {
        while (at.left > 0 && at.tile == tile) {
            const LaneVectors<vectors> mine = next;
            const int input = at.input + own * my.lane, there = max(0, min(own, w.m.inputs - input));
            at.step(inputs);
            if (at.left > 0) next.ask(w, vector, gains, at.input + own * my.lane);
            ptx::wait_barrier(feed.front_here, front_parity);
            front_parity ^= 1;
            const float step_of[2] = {memory.step[my.four], memory.step[4 + my.four]};
            float step[vectors];
            int offset[vectors][2];
#pragma unroll
            for (int k = 0; k < vectors; ++k) {
                const LaneInputs read = mine.weighed(k, scale[k], there);
                if (BlockPlace noted(0, 1); tile == 0 && first + k < products) {
                    noted.product = first + k;
                    of_planes::note(w, noted, input, there, read);
                }
                const of_planes::Rounded rounded(memory.levels, memory.x[k], my, read);
                step[k] = rounded.step, offset[k][0] = rounded.offset[0], offset[k][1] = rounded.offset[1];
            }
            __syncwarp();
            Products<vectors> sums(memory, my);
            wait_for_step();
            sums.add_ab(memory.a, memory.ring[slot], my);
            __syncwarp();
            if (my.lane == 0) feed.ask_front();
            free_step();
            sums.multiply_by_16();
#pragma unroll
            for (int half = 0; half < 2; ++half) {
                wait_for_step();
                sums.add_c(memory.ring[slot], half * (chunk / 2), my);
                free_step();
            }
#pragma unroll
            for (int k = 0; k < vectors; ++k)
#pragma unroll
                for (int q = 0; q < 2; ++q) {
                    const float of_block = step[k] * step_of[q] * (1.f / (32 * 128));
                    const auto add = [&](float& to, int p, int r) {
                        const int(&s)[4] = sums.of[k].of[q][p];
                        const int high = r ? s[2] >> 4 : s[0] - s[2], low = r ? s[3] >> 4 : s[1] - s[3];
                        to = __fmaf_rn(static_cast<float>(256 * high + 2 * low - offset[k][q]), of_block, to);
                    };
                    float4& to = total[k][q];
                    add(to.x, 0, 0), add(to.y, 1, 0), add(to.z, 0, 1), add(to.w, 1, 1);
                }
        }
        const TileBlocks of_tile(runs, tile, chunks);
#pragma unroll
        for (int k = 0; k < vectors; ++k) {
#pragma unroll
            for (int q = 0; q < 2; ++q) {
                reinterpret_cast<float4*>(shared.sums[warp])[32 * q + 8 * my.four + my.row] = total[k][q];
                total[k][q] = {};
            }
            __syncthreads();
            std::uint64_t* mailbox = mailboxes + k * runs.blocks * outputs;
            for (int o = thread; o < outputs && first + k < products; o += threads) {
                float sum = 0;
#pragma unroll
                for (int of_warp = 0; of_warp < warps; ++of_warp) sum = __fadd_rn(sum, shared.sums[of_warp][o]);
                if (block != of_tile.first) {
                    ptx::put_into_mailbox(mailbox + block * outputs + o, sum);
                    continue;
                }
                if (of_tile.first < of_tile.last) sum = add_mailboxes(mailbox + o, of_tile, sum);
                if (const int to = tile * outputs + o; to < w.m.outputs)
                    w.y[(first + k) * w.y_step + to] = static_cast<float>(sum * factor_of(w, most[k]));
            }
            __syncthreads();
        }
    }
}

template <int vectors>
Status start(const Params& w, int first, int products, int blocks, std::uint64_t* mailboxes, void* stream) {
    return launch(planes_whole<vectors>,
                  {.blocks = static_cast<unsigned>(blocks),
                   .threads = threads,
                   .shared = sizeof(SharedMemory<vectors>),
                   .overlaps = true},
                  stream, w, first, products, mailboxes);
}

}  // namespace
}  // namespace whole

Status start_planes_whole(Params w, int products, void* stream) {
    using namespace whole;
    constexpr int most_vectors = 4;
    const int blocks = std::min(
        {multiprocessors(), w.m.tiles * (w.m.inputs_apart / chunk), most_mailboxes / (most_vectors * outputs)});
    w.is_even = w.m.inputs % 4 == 0 && w.v_step % 4 == 0 && reinterpret_cast<std::uintptr_t>(w.v) % 16 == 0;
    for (int first = 0; first < products; first += most_vectors) {
        const int left = products - first;
        const auto begin = left == 1 ? start<1> : left == 2 ? start<2> : start<most_vectors>;
        if (const Status bad = begin(w, first, products, blocks, kept_mailboxes(stream), stream); !bad) return bad;
    }
    return {};
}

}  // namespace tw::cuda::effort
