// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes: a product of planes of which a kernel or the host has chosen what is read: effort_planes_choosing
// without the choice, for any number of inputs.
//
//   block 0: inputs 0 .. 2047, 16384 ..   warp: plane A of 128 inputs that are read, then B and C   -> sums of warps,
//   of blocks, in order -> y
//
// Needs: sm_80; with sm_90 eight blocks share a tile. Counts, for I inputs: loads 12 I and 16 I a tile, and the bytes
// of the planes that are read; stores the outputs.
#include "backend/cuda/effort/planes/chunk.cuh"
#include "backend/cuda/effort/planes/sum.cuh"

namespace tw::cuda::effort {
namespace of_planes {
namespace {

template <int ranks>
struct Desk {
    SumsOfBlocks<ranks> sums;
    Room rooms[warps];
};

template <int ranks>
__global__ void __launch_bounds__(threads, 1) planes(const __grid_constant__ Work w) {
    if (!ptx::is_launched<ranks>) return;
    extern __shared__ uint4 memory[];
    Desk<ranks>& desk = *reinterpret_cast<Desk<ranks>*>(memory);
    const int warp = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0), rank = ptx::own_rank<ranks>();
    const Place at(static_cast<int>(blockIdx.x) / ranks, w.m.tiles);
    const Lane my;
    const EffortEntry* entries = w.entries + static_cast<std::int64_t>(at.product) * w.m.inputs;
    Room& room = desk.rooms[warp];
    ptx::let_next_kernel_begin();
    if (threadIdx.x == 0) desk.sums.expect(rank);
    ptx::wait_for_kernel_before();
    ptx::sync_ranks<ranks>();
    float4 total[2] = {};
    for (int first = share * rank + chunk * warp; first < w.m.inputs; first += share * ranks) {
        const int of_warp = min(chunk, w.m.inputs - first), begin = own * my.lane;
        const Rows rows(tile_of(w, at), w.m.inputs_apart, first);
        Own mine;
        __syncwarp();
        copy_scales(room, my, rows);
#pragma unroll
        for (int i = 0; i < own; ++i)
            if (begin + i < of_warp) {
                const EffortEntry entry = entries[first + begin + i];
                mine.k[i] = entry.units, mine.v[i] = entry.units > 0 ? entry.v : 0.f;
            }
        copy_of_a(room, my, rows, mine.those());
        Chunk(room, rows).multiply_all<4, 1>(mine, w.reads_most, total, [] { ptx::wait_for_copies<0>(); });
    }
    add_up<ranks>(w, at, desk.rooms, desk.sums, total, rank, w.chosen[at.product].factor);
}

template <int ranks>
Status start(const Work& w, int products, void* stream) {
    const auto count = static_cast<unsigned>(products * w.m.tiles * ranks);
    return launch(
        planes<ranks>,
        {.blocks = count, .threads = threads, .shared = sizeof(Desk<ranks>), .cluster = ranks, .overlaps = true},
        stream, w);
}

}  // namespace
}  // namespace of_planes

Status start_planes(const Work& w, int products, bool has_clusters, void* stream) {
    using namespace of_planes;
    return has_clusters ? start<8>(w, products, stream) : start<1>(w, products, stream);
}

}  // namespace tw::cuda::effort
