// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_tiers: like effort_buckets, with the weights as given: a mask of 16 bits says which outputs of a bucket the
// four values of a tier belong to.
//
//      unit of an input: P masks, P x 4 values        sums[position][lane]
//   |m|m|m| .. |m|  |wwww|wwww| .. |wwww|      ->      |  |+=|  |  | .. |  |
//
// Needs: any Metal GPU. Counts, for a chunk of E entries with R units in all and a tile of P buckets, s bytes a value:
// device loads R P (2 + 4 s) + 12 EP (every lane reads the entries), stores 64 P; 1 barrier.
#include "effort_parameters.h"

inline float value_at(device const uchar* values, uint index, uint type) {
    if (type == 0) return reinterpret_cast<device const float*>(values)[index];
    const ushort bits = reinterpret_cast<device const ushort*>(values)[index];
    return type == 1 ? float(as_type<half>(bits)) : as_type<float>(uint(bits) << 16);
}

kernel void effort_tiers(device const uchar* rows [[buffer(0)]], device const EffortEntry* entries [[buffer(1)]],
                         constant EffortProduct& p [[buffer(2)]], constant EffortChosen& chosen [[buffer(3)]],
                         device float* partial [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]],
                         uint t [[thread_index_in_threadgroup]], uint2 groups [[threadgroups_per_grid]]) {
    threadgroup float sums[4 * 16 * 32];
    const uint from = group.y * CHUNK;
    if (from >= chosen.entries) return;  // the whole threadgroup
    const uint count = min(CHUNK, chosen.entries - from);
    const uint width = group.x + 1 == groups.x ? p.last_width : p.width;
    const uint part = t / 32, lane = t % 32, unit_bytes = (2 + 4 * (p.value_type == 0 ? 4 : 2)) * width;
    threadgroup float* mine = sums + part * 512 + lane;
    for (uint position = 0; position < 16; ++position) mine[position * 32] = 0.0f;
    device const uchar* tile = tile_of(rows, p, group.x);
    for (uint e = part * 32; e < min(count, part * 32 + 32) && lane < width; ++e) {
        const EffortEntry entry = entries[from + e];
        for (uint tier = 0; tier < entry.units; ++tier) {
            device const uchar* unit = tile + (ulong(entry.input) * 4 + tier) * unit_bytes;
            uint mask = reinterpret_cast<device const ushort*>(unit)[lane];
            for (uint r = 0; r < 4; ++r, mask &= mask - 1) {
                const uint position = ctz(mask) * 32;
                mine[position] = fma(entry.v, value_at(unit + 2 * width, 4 * lane + r, p.value_type), mine[position]);
            }
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    const ulong to = ulong(group.y) * p.padded_outputs + group.x * p.outputs_of_tile;
    for (uint o = t; o < width * 16; o += CHUNK) {
        const uint at = o % 16 * 32 + o / 16;
        partial[to + o] = ((sums[at] + sums[512 + at]) + sums[1024 + at]) + sums[1536 + at];
    }
}
