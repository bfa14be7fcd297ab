// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_planes: a threadgroup multiplies one tile of outputs by one chunk of entries, in whole numbers as the CPU's
// kernels do (backend/cpu/effort/kernels.hpp has the arithmetic, formats/planes.hpp the bytes): v d of each block is
// rounded to 8 bits, or 15, once for the tile; then each thread has one byte of a plane's row, so four outputs, and
// walks the entries.
//
//     entries        blocks of 32            outputs, four a thread
//   v0 v1 .. v127 x d[e][16]  ->  high, low [128][16]  x  codes from 1, 2 or 3 planes
//
// Needs: any Metal GPU. Counts, for a chunk of E entries and a tile of Q quarters: device loads the bytes of the units
// that are read (40 Q, 32 Q, 64 Q an entry) and 12 E, stores 512 Q; 3 barriers.
#include "effort_parameters.h"

constant constexpr uint BLOCKS = 16;

kernel void effort_planes(device const uchar* rows [[buffer(0)]], device const EffortEntry* entries [[buffer(1)]],
                          constant EffortProduct& p [[buffer(2)]], constant EffortChosen& chosen [[buffer(3)]],
                          device float* partial [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]],
                          uint t [[thread_index_in_threadgroup]],
                          uint simdgroup_index [[simdgroup_index_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]], uint2 groups [[threadgroups_per_grid]]) {
    threadgroup char high[CHUNK * BLOCKS];
    threadgroup char low[CHUNK * BLOCKS];
    threadgroup float most[4 * BLOCKS];
    threadgroup uint inputs[CHUNK];
    threadgroup uint units[CHUNK];

    const uint from = group.y * CHUNK;
    if (from >= chosen.entries) return;  // the whole threadgroup
    const uint count = min(CHUNK, chosen.entries - from);
    const uint q = group.x + 1 == groups.x ? p.last_width : p.width, blocks = 4 * q;
    const ulong all = p.inputs, up = 63;
    device const uchar* scales = tile_of(rows, p, group.x);
    device const uchar* a = scales + (all * 8 * q + up) / 64 * 64;
    device const uchar* b = a + (all * 32 * q + up) / 64 * 64;
    device const uchar* c = b + (all * 32 * q + up) / 64 * 64;

    // One thread for each entry: v d of every block, and the largest of each block.
    float products[BLOCKS];
    for (uint block = 0; block < BLOCKS; ++block) products[block] = 0.0f;
    if (t < count) {
        const EffortEntry entry = entries[from + t];
        inputs[t] = entry.input;
        units[t] = entry.units;
        device const half* d = reinterpret_cast<device const half*>(scales + ulong(entry.input) * 8 * q);
        for (uint block = 0; block < blocks; ++block) products[block] = entry.v * float(d[block]);
    }
    for (uint block = 0; block < blocks; ++block) {
        const float largest = simd_max(fabs(products[block]));
        if (lane == 0) most[simdgroup_index * BLOCKS + block] = largest;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint block = 0; block < blocks; ++block) {
        const float m =
            max(max(most[block], most[BLOCKS + block]), max(most[2 * BLOCKS + block], most[3 * BLOCKS + block]));
        const float inverse = m < 7.8886090522101181e-31f ? 0.0f : 127.0f / m;
        const float whole = products[block] * inverse;
        const float rounded = rint(whole);
        high[t * BLOCKS + block] = char(rounded);
        low[t * BLOCKS + block] = char(rint((whole - rounded) * 128.0f));
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);

    if (t >= 32 * q) return;  // no barrier follows
    const uint h = t / (16 * q), place = t % (16 * q), block = place / 16 * 4 + place % 4, row = place % 16 / 4;
    int sum_high[4] = {0, 0, 0, 0}, sum_low[4] = {0, 0, 0, 0};
    for (uint e = 0; e < count; ++e) {
        const ulong input = inputs[e];
        const int rounded = high[e * BLOCKS + block], rest = low[e * BLOCKS + block];
        const uint in_a = a[input * 32 * q + t];
        uint in_b = 0, in_c[2] = {0, 0};
        int of_two = 192, of_three = 0;  // the offset of the codes
        if (units[e] > 1) {
            in_b = b[input * 32 * q + t];
            of_two = 240;
        }
        if (units[e] > 2) {
            in_c[0] = c[input * 64 * q + 32 * q * h + place];
            in_c[1] = c[input * 64 * q + 32 * q * h + 16 * q + place];
            of_three = 15;
        }
#pragma clang loop unroll(full)
        for (uint k = 0; k < 4; ++k) {
            const int two = int((in_a >> (2 * k) & 3) * 128 + (in_b >> (2 * k) & 3) * 32) - of_two;
            sum_low[k] += rest * two;
            sum_high[k] += rounded * (two + int((in_c[k & 1] >> (k / 2 * 4) & 15) * 2) - of_three);
        }
    }
    const float m =
        max(max(most[block], most[BLOCKS + block]), max(most[2 * BLOCKS + block], most[3 * BLOCKS + block]));
    const float step = m / 127.0f;
    const ulong to = ulong(group.y) * p.padded_outputs + group.x * 512 + block * 32 + h * 16 + row * 4;
#pragma clang loop unroll(full)
    for (uint k = 0; k < 4; ++k) {
        float sum = float(sum_high[k]);
        if (chosen.fine != 0) sum += float(sum_low[k]) * (1.0f / 128.0f);
        partial[to + k] = sum * (step * (1.0f / 32.0f));
    }
}
