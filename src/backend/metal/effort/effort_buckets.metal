// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_buckets: the seeds' bucketMul. A threadgroup multiplies one tile of 32 buckets by one chunk of entries; each
// of its four SIMD-groups takes 32 of them, a bucket a lane. A word's low bits say which output of the bucket it
// belongs to; a lane has its own column of sums in threadgroup memory, so that any position costs the same and there
// are no bank conflicts.
//
//      unit of an input: 32 words           sums[position][lane]
//   |w|w|w|w|w|w|w|w| .. |w|      ->      |  |+=|  |  |  | .. |  |
//
// Needs: any Metal GPU. Counts, for a chunk of E entries with R units in all and a tile of P buckets of B outputs:
// device loads 2 RP + 12 EP (every lane reads the entries), stores 4 PB; 1 barrier.
#include "effort_parameters.h"

kernel void effort_buckets(device const uchar* rows [[buffer(0)]], device const EffortEntry* entries [[buffer(1)]],
                           constant EffortProduct& p [[buffer(2)]], constant EffortChosen& chosen [[buffer(3)]],
                           device float* partial [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]], uint2 groups [[threadgroups_per_grid]]) {
    threadgroup float sums[4 * 32 * 32];
    const uint from = group.y * CHUNK;
    if (from >= chosen.entries) return;  // the whole threadgroup
    const uint count = min(CHUNK, chosen.entries - from);
    const uint width = group.x + 1 == groups.x ? p.last_width : p.width;
    const uint part = t / 32, lane = t % 32;
    threadgroup float* mine = sums + part * 1024 + lane;
    for (uint position = 0; position < p.bucket; ++position) mine[position * 32] = 0.0f;
    device const uchar* tile = tile_of(rows, p, group.x);
    for (uint e = part * 32; e < min(count, part * 32 + 32) && lane < width; ++e) {
        const EffortEntry entry = entries[from + e];
        device const ushort* words =
            reinterpret_cast<device const ushort*>(tile + ulong(entry.input) * p.bucket * 2 * width) + lane;
        for (uint rank = 0; rank < entry.units; ++rank) {
            const ushort word = words[rank * width];
            const uint position = (word & (p.bucket - 1)) * 32;
            mine[position] = fma(entry.v, float(as_type<half>(ushort(word & p.kept))), mine[position]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const ulong to = ulong(group.y) * p.padded_outputs + group.x * p.outputs_of_tile;
    for (uint o = t; o < width * p.bucket; o += CHUNK) {
        const uint at = o % p.bucket * 32 + o / p.bucket;
        partial[to + o] = ((sums[at] + sums[1024 + at]) + sums[2048 + at]) + sums[3072 + at];
    }
}
