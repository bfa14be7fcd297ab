// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Three first kernels for metal-check, after seed 001: a dot product a thread; square tiles, whose kernel trusts that
// the sides are multiples of 16; and the same tiles with the three checks that any side needs. docs/metal-seeds.md runs
// them.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint SIDE = 16;

// sides: rows of C, what is summed over, columns of C
kernel void naive(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                  device float* c [[buffer(2)]], constant uint* sides [[buffer(3)]],
                  uint2 at [[thread_position_in_grid]]) {
    const uint depth = sides[1], cols = sides[2];
    float sum = 0;
    for (uint p = 0; p < depth; ++p) sum += a[at.y * depth + p] * b[p * cols + at.x];
    c[at.y * cols + at.x] = sum;
}

kernel void tiled(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                  device float* c [[buffer(2)]], constant uint* sides [[buffer(3)]],
                  uint2 at [[thread_position_in_grid]], uint2 in [[thread_position_in_threadgroup]]) {
    threadgroup float tile_a[SIDE][SIDE];
    threadgroup float tile_b[SIDE][SIDE];
    const uint depth = sides[1], cols = sides[2];
    float sum = 0;
    for (uint from = 0; from < depth; from += SIDE) {
        tile_a[in.y][in.x] = a[at.y * depth + from + in.x];
        tile_b[in.y][in.x] = b[(from + in.y) * cols + at.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);  // true dependence: what is read below was written above
        for (uint p = 0; p < SIDE; ++p) sum += tile_a[in.y][p] * tile_b[p][in.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);  // false dependence: the next round writes what is read above
    }
    c[at.y * cols + at.x] = sum;
}

kernel void tiled_any_side(device const float* a [[buffer(0)]], device const float* b [[buffer(1)]],
                           device float* c [[buffer(2)]], constant uint* sides [[buffer(3)]],
                           uint2 at [[thread_position_in_grid]], uint2 in [[thread_position_in_threadgroup]]) {
    threadgroup float tile_a[SIDE][SIDE];
    threadgroup float tile_b[SIDE][SIDE];
    const uint rows = sides[0], depth = sides[1], cols = sides[2];
    float sum = 0;
    for (uint from = 0; from < depth; from += SIDE) {
        tile_a[in.y][in.x] = at.y < rows && from + in.x < depth ? a[at.y * depth + from + in.x] : 0;
        tile_b[in.y][in.x] = from + in.y < depth && at.x < cols ? b[(from + in.y) * cols + at.x] : 0;
        threadgroup_barrier(mem_flags::mem_threadgroup);  // true dependence
        for (uint p = 0; p < SIDE; ++p) sum += tile_a[in.y][p] * tile_b[p][in.x];
        threadgroup_barrier(mem_flags::mem_threadgroup);  // false dependence
    }
    if (at.y < rows && at.x < cols) c[at.y * cols + at.x] = sum;
}
