// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_dense_runs: y = W v with the weights as given, on as many blocks as multiprocessors. The rows of all tiles are
// cut into equal runs; a warp copies every eighth step of its block's run, 4096 bytes, to its own ring.
//
//    rows of   tile 0          tile 1          tile 2            step by step   w0 w1 w2 .. w7 | w0 w1 ..
//             |block 0    |block 1    |block 2    |block 3  ..
//    sums of warps, then of the blocks that share a tile, each in order  -> y
// Two blocks fit on a multiprocessor, one of this product and one of the next, whose ring fills while this one ends: no
// kernel writes rows, so it waits only before it reads the vector. A single product's sums go to the tile's first block
// by mailboxes; with several products the last block to arrive adds them up.
// Needs: sm_90. 2mk flops for each vector, for 2 k (4 k) bytes an output.
#include "backend/cuda/device/scratch.hpp"
#include "backend/cuda/effort/dense/dense.cuh"
#include "backend/cuda/effort/runs.cuh"
#include "backend/cuda/ptx/bulk_copy.cuh"
#include "backend/cuda/ptx/cluster_memory.cuh"
#include "backend/cuda/ptx/mbarrier.cuh"

namespace tw::cuda::effort {
namespace {

constexpr int warps = 8, threads = 32 * warps, outputs = on_device::Dense::outputs, of_lane = outputs / 32,
              step_bytes = 4096, slots = 3;

struct SharedMemory {
    alignas(128) std::byte ring[warps][slots][step_bytes];
    float sums[warps][outputs];
    std::uint64_t here[warps][slots];
    bool is_last;  // of the blocks that share a tile
};

/// A warp's steps; the next ones are being copied.
template <class T>
struct Ring {
    static constexpr int of_step = step_bytes / (outputs * static_cast<int>(sizeof(T)));
    std::uint32_t slot, here;
    const T *from, *last;
    int left;
    std::uint64_t policy;

    __device__ const T* next() const { return from < last ? from : last; }
    __device__ void ask(int at) {
        ptx::expect_bytes(here + 8 * at, step_bytes);
        ptx::load_bytes(slot + at * step_bytes, next(), step_bytes, here + 8 * at, policy);
        from += warps * of_step * outputs, --left;
    }
};

/// Where a block leaves its sums of a shared tile: a block may share its first tile and its last.
__device__ inline float* part(const Params& w, int product, int blocks, int block, const TileBlocks& of_tile) {
    return w.partial + ((static_cast<std::int64_t>(product) * blocks + block) * 2 + (block == of_tile.first)) * outputs;
}

template <class T, int vectors>
__global__ void __launch_bounds__(threads, 2)
    dense_runs(const __grid_constant__ Params w, int products, std::uint64_t* mailboxes) {
    constexpr int of_step = Ring<T>::of_step,
                  of_load = 32 / of_step;  // steps for which one load of a warp brings the part of v
    extern __shared__ std::byte memory[];
    SharedMemory& shared = *reinterpret_cast<SharedMemory*>(memory);
    const int block = static_cast<int>(blockIdx.x), product = vectors * static_cast<int>(blockIdx.y),
              inputs = w.m.inputs;
    const int own = static_cast<int>(threadIdx.x), warp = own / 32, lane = own % 32;
    const Runs runs(w.m.dense_tiles * w.m.inputs, of_step);
    const int first_step = runs.begin_of(block) + warp, end_step = runs.begin_of(block + 1);
    const int begin = runs.begin_of(block) * of_step, end = min(end_step * of_step, runs.rows);
    const T* matrix =
        reinterpret_cast<const T*>(w.m.dense) + static_cast<std::int64_t>(w.experts[product]) * runs.rows * outputs;
    Ring<T> ring{ptx::shared_address(shared.ring[warp]),
                 ptx::shared_address(shared.here[warp]),
                 matrix + static_cast<std::int64_t>(first_step) * of_step * outputs,
                 matrix + static_cast<std::int64_t>(runs.rows - of_step) * outputs,
                 (end_step - first_step + warps - 1) / warps,
                 ptx::leaves_l2_first()};
    if (lane == 0) {
        for (int i = 0; i < slots; ++i) ptx::init_barrier(ring.here + 8 * i, 1);
        ptx::publish_barriers();
        for (int i = 0; i < slots && ring.left > 0; ++i) ring.ask(i);
        if (ring.left > 0) ptx::bring_closer(ring.next(), step_bytes);  // one more step, to L2
    }
    __syncwarp();
    ptx::let_next_kernel_begin();
    ptx::wait_for_kernel_before();

    float x[vectors], next_x[vectors], sums[vectors][of_lane] = {};
    const auto load_x = [&](int first,
                            float(&to)[vectors]) {  // past L1, which may hold old values
        const int step = first_step + (first + lane / of_step) * warps;
        const int input =
            static_cast<int>(static_cast<unsigned>(runs.row_of(step) + lane % of_step) % static_cast<unsigned>(inputs));
#pragma unroll
        for (int k = 0; k < vectors; ++k)
            to[k] = step < end_step && product + k < products ? __ldcg(w.v + (product + k) * w.v_step + input) : 0.f;
    };
    load_x(0, x);
    load_x(of_load, next_x);
    int i = 0, slot = 0;
    std::uint32_t parity = 0;
    for (int tile = begin / inputs; tile * inputs < end; ++tile) {
        const int tile_begin = max(begin, tile * inputs), tile_end = min(end, (tile + 1) * inputs);
        for (int step = first_step + i * warps; step * of_step < tile_end; step += warps) {
            ptx::wait_barrier(ring.here + 8 * slot, parity);
            const int first_row = runs.row_of(step), lowest = max(step * of_step, tile_begin);
            constexpr int together = vectors > 1 ? 2 : of_step;  // limited by registers
#pragma unroll 1
            for (int some = 0; some < of_step; some += together) {
                Eight<T> row[together];
#pragma unroll
                for (int r = 0; r < together; ++r)
                    row[r].load(shared.ring[warp][slot] +
                                ((some + r) * outputs + of_lane * lane) * static_cast<int>(sizeof(T)));
#pragma unroll
                for (int r = 0; r < together; ++r)
#pragma unroll
                    for (int k = 0; k < vectors; ++k) {
                        const float of_row = __shfl_sync(~0u, x[k], i % of_load * of_step + some + r);
                        const float v =
                            first_row + some + r >= lowest && first_row + some + r < tile_end ? of_row : 0.f;
#pragma unroll
                        for (int o = 0; o < of_lane; ++o) sums[k][o] = fmaf(v, row[r].value(o), sums[k][o]);
                    }
            }
            if ((step + 1) * of_step > tile_end && tile_end < end) break;  // the step has rows of the next tile, too
            __syncwarp();
            if (lane == 0 && ring.left > 0) ring.ask(slot);
            if (++i % of_load == 0) {
#pragma unroll
                for (int k = 0; k < vectors; ++k) x[k] = next_x[k];
                load_x(i + of_load, next_x);
            }
            if (++slot == slots) slot = 0, parity ^= 1;
        }
        const TileBlocks of_tile(runs, tile, inputs);
        const int to = tile * outputs + own;
        const bool is_shared = of_tile.first < of_tile.last, by_mailbox = vectors == 1 && mailboxes;
#pragma unroll
        for (int k = 0; k < vectors; ++k) {
            if (product + k >= products) break;
#pragma unroll
            for (int o = 0; o < of_lane; ++o) shared.sums[warp][of_lane * lane + o] = sums[k][o], sums[k][o] = 0;
            __syncthreads();
            float sum = 0;
#pragma unroll
            for (int of_warp = 0; of_warp < warps; ++of_warp) sum = __fadd_rn(sum, shared.sums[of_warp][own]);
            const bool is_of_others = block != of_tile.first;
            if (is_shared && !by_mailbox) __stcg(part(w, product + k, runs.blocks, block, of_tile) + own, sum);
            else if (is_shared && is_of_others) ptx::put_into_mailbox(mailboxes + block * outputs + own, sum);
            else if (is_shared) sum = add_mailboxes(mailboxes + own, of_tile, sum);
            if ((!is_shared || (by_mailbox && !is_of_others)) && to < w.m.outputs)
                w.y[(product + k) * w.y_step + to] = sum;
            __syncthreads();
        }
        if (!is_shared || by_mailbox) continue;
        const auto others = static_cast<unsigned>(of_tile.last - of_tile.first);
        unsigned* arrived = w.arrived + static_cast<int>(blockIdx.y) * runs.blocks +
                            of_tile.first;  // shared tiles begin in different blocks
        if (own == 0) shared.is_last = ptx::count_around(arrived, others) == others;
        __syncthreads();
        if (!shared.is_last) continue;
        for (int k = 0; k < min(vectors, products - product); ++k) {
            float sum = 0;
#pragma unroll 8
            for (int b = of_tile.first; b <= of_tile.last; ++b)
                sum = __fadd_rn(sum, __ldcg(part(w, product + k, runs.blocks, b, of_tile) + own));
            if (to < w.m.outputs) w.y[(product + k) * w.y_step + to] = sum;
        }
    }
}

template <class T, int vectors>
Status start(const Params& w, int products, int blocks, std::uint64_t* mailboxes, void* stream) {
    return launch(dense_runs<T, vectors>,
                  {.blocks = static_cast<unsigned>(blocks),
                   .threads = threads,
                   .shared = sizeof(SharedMemory),
                   .products = static_cast<unsigned>((products + vectors - 1) / vectors),
                   .overlaps = true},
                  stream, w, products, mailboxes);
}

template <class T>
Status start(const Params& w, int products, bool is_batch, int blocks, void* stream) {
    if (is_batch) return start<T, 4>(w, products, blocks, nullptr, stream);
    return start<T, 1>(w, products, blocks,
                       products == 1 && blocks * outputs <= most_mailboxes ? kept_mailboxes(stream) : nullptr, stream);
}

}  // namespace

Status start_dense_runs(const Params& w, int products, bool is_batch, int blocks, void* stream) {
    if (w.m.type == Type::f32) return start<float>(w, products, is_batch, blocks, stream);
    return w.m.type == Type::f16 ? start<__half>(w, products, is_batch, blocks, stream)
                                 : start<__nv_bfloat16>(w, products, is_batch, blocks, stream);
}

}  // namespace tw::cuda::effort
