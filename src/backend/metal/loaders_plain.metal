// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The microbenchmark loaders_async with plain loads: the first `loaders` SIMD-groups load an equal share each, one
// float for each lane at a time.
//
// Needs: any Metal GPU. Counts for each threadgroup: device loads 32768 bytes, stores 1024; threadgroup stores 32768
// bytes, loads 1024; 1 barrier; no flops.
#include <metal_stdlib>
using namespace metal;

kernel void loaders_plain(device const float* from [[buffer(0)]], device float* to [[buffer(1)]],
                          constant uint& loaders [[buffer(2)]], uint t [[thread_index_in_threadgroup]],
                          uint i [[thread_position_in_grid]]) {
    threadgroup float tile[128 * 64];
    const uint part = t / 32;
    if (part < loaders) {
        const uint first = 128 * part / loaders * 64, last = 128 * (part + 1) / loaders * 64;
        for (uint e = first + t % 32; e < last; e += 32) tile[e] = from[e];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    to[i] = tile[t * 32 + 31 - t % 32];
}
