// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes: a product of planes for which another kernel or the host has chosen what is read; like
// effort_planes_choosing without choosing, and for any number of inputs.
//
//   block 0: inputs 0 .. 2047, 16384 ..   warp: plane A of 128 inputs that are read, then B and C   -> sums of warps,
//   of blocks, in order -> y
//
// Needs: sm_80; on sm_90 eight blocks share a tile. Counts, for I inputs: loads 12 I and 16 I a tile, and the bytes of
// the planes that are read; stores the outputs.
#include "backend/cuda/effort/planes/chunk.cuh"
#include "backend/cuda/effort/planes/sum.cuh"

namespace tw::cuda::effort {
namespace plane_kernels {
namespace {

template <int ranks>
struct SharedMemory {
    SumsOfBlocks<ranks> sums;
    WarpMemory warp_memory[warps];
};

template <int ranks>
__global__ void __launch_bounds__(threads, 1) planes(const __grid_constant__ Params w) {
    if (!ptx::is_launched<ranks>) return;
    extern __shared__ uint4 block_memory[];
    SharedMemory<ranks>& shared = *reinterpret_cast<SharedMemory<ranks>*>(block_memory);
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), rank = ptx::own_rank<ranks>();
    const BlockPlace at(static_cast<int>(blockIdx.x) / ranks, w.m.tiles);
    const Lane my;
    const EffortEntry* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs;
    WarpMemory& memory = shared.warp_memory[warp];
    ptx::let_next_kernel_begin();
    if (threadIdx.x == 0) shared.sums.expect(rank);
    ptx::wait_for_kernel_before();
    ptx::sync_ranks<ranks>();
    float4 total[2] = {};
    for (int first = share * rank + chunk * warp; first < w.m.inputs; first += share * ranks) {
        const int of_warp = min(chunk, w.m.inputs - first), begin = own * my.lane;
        const Rows rows(tile_of(w, at), w.m.inputs_apart, first);
        LaneInputs mine;
        __syncwarp();
        copy_scales(memory, my, rows);
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (begin + i < of_warp) {
                const EffortEntry entry = entries[first + begin + i];
                mine.k[i] = entry.units, mine.v[i] = entry.units > 0 ? entry.v : 0.f;
            }
        copy_of_a(memory, my, rows, mine.those());
        Chunk(memory, rows).multiply_all<4, 1>(mine, w.reads_most, total, [] { ptx::wait_for_copies<0>(); });
    }
    add_up<ranks>(w, at, shared.warp_memory, shared.sums, total, rank, w.chosen[at.product].factor);
}

template <int ranks>
Status start(const Params& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * ranks);
    return launch(planes<ranks>,
                  {.blocks = count,
                   .threads = threads,
                   .shared = sizeof(SharedMemory<ranks>),
                   .cluster = ranks,
                   .overlaps = true},
                  stream, w);
}

}  // namespace
}  // namespace plane_kernels

Status start_planes(const Params& w, int products, bool has_clusters, void* stream) {
    using namespace plane_kernels;
    return has_clusters ? start<8>(w, products, stream) : start<1>(w, products, stream);
}

}  // namespace tw::cuda::effort
