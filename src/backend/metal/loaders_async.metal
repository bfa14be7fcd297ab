// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A microbenchmark, not a rung: how many SIMD-groups should load a tile? A threadgroup fills its whole 32 KB with 128
// rows of 64 floats; the first `loaders` of its eight SIMD-groups copy an equal share each, by the copy instruction.
// Then every thread reads some of it, so that no copy is unread.
//
// Needs: Apple7, a compiler that takes the instruction. Counts for each threadgroup: device loads 32768 bytes, stores
// 1024; threadgroup stores 32768 bytes, loads 1024; 1 barrier, a copy for each loader; no flops.
#include <metal_stdlib>
using namespace metal;

struct _simdgroup_event_t;
thread _simdgroup_event_t* __metal_simdgroup_async_copy_2d(ulong, ulong, threadgroup void*, ulong, ulong, ulong2,
                                                           const device void*, ulong, ulong, ulong2, long2,
                                                           int) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t**) __asm("air.wait_simdgroup_events");

kernel void loaders_async(device const float* from [[buffer(0)]], device float* to [[buffer(1)]],
                          constant uint& loaders [[buffer(2)]], uint simdgroup_index [[simdgroup_index_in_threadgroup]],
                          uint t [[thread_index_in_threadgroup]], uint i [[thread_position_in_grid]]) {
    threadgroup float tile[128 * 64];
    if (simdgroup_index < loaders) {
        const uint first = 128 * simdgroup_index / loaders, rows = 128 * (simdgroup_index + 1) / loaders - first;
        thread _simdgroup_event_t* event = __metal_simdgroup_async_copy_2d(
            sizeof(float), alignof(float), reinterpret_cast<threadgroup void*>(tile + first * 64), 64, 1,
            ulong2(64, rows), reinterpret_cast<const device void*>(from + first * 64), 64, 1, ulong2(64, rows),
            long2(0), 0);
        __metal_wait_simdgroup_events(1, &event);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    to[i] = tile[t * 32 + 31 - t % 32];
}
