// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Kernels that are wrong, each in one way. The line with the arrow is the one that a report must name.
#include <metal_simdgroup_matrix>
#include <metal_stdlib>
using namespace metal;

// Every kernel: a has 64 floats to read, c 64 to write, n one atomic counter; 64 threads, in threadgroups of 64 or
// fewer.
#define PLANTED(name)                                                                                 \
    kernel void name(device const float* a [[buffer(0)]], device float* c [[buffer(1)]],              \
                     device atomic_uint* n [[buffer(2)]], uint i [[thread_position_in_grid]],         \
                     uint t [[thread_index_in_threadgroup]], uint g [[threadgroup_position_in_grid]], \
                     uint lane [[thread_index_in_simdgroup]], uint s [[simdgroup_index_in_threadgroup]])
#define BARRIER threadgroup_barrier(mem_flags::mem_threadgroup)

PLANTED(read_past_the_end) {
    c[i] = a[i + 1];  // <-
}
PLANTED(write_past_the_end) {
    c[i + 1] = a[i];  // <-
}
PLANTED(read_before_the_start) {
    c[i] = a[int(i) - 1];  // <-
}
PLANTED(index_wraps) {
    c[i] = a[long(i) * 0x40000000 % 0x7fffffff];  // <-
}
PLANTED(overflow_into_the_neighbour) {
    threadgroup float first[64];
    threadgroup float second[64];
    second[t] = 0;
    first[t + 4] = a[i];  // <-
    BARRIER;
    c[i] = first[t] + second[t];
}
PLANTED(unwritten) {
    threadgroup float x[64];
    if (t < 63) x[t] = a[i];
    BARRIER;
    c[i] = x[t];  // <-
}
PLANTED(unwritten_in_a_later_threadgroup) {
    threadgroup float x[64];
    if (g == 0) x[t] = a[i];
    BARRIER;
    c[i] = x[t];  // <-
}
PLANTED(no_barrier_before_the_read) {
    threadgroup float x[64];
    x[t] = a[i];
    c[i] = x[63 - t];  // <-
}
PLANTED(no_barrier_before_the_next_write) {
    threadgroup float x[64];
    float sum = 0;
    for (uint r = 0; r < 2; ++r) {
        x[t] = a[i] + float(r);  // <-
        BARRIER;
        sum += x[63 - t];
    }
    c[i] = sum;
}
PLANTED(two_write_one) {
    threadgroup float x[64];
    x[t / 2] = a[i];  // <-
    BARRIER;
    c[i] = x[t / 2];
}
PLANTED(neighbours_in_a_simdgroup) {
    threadgroup float x[64];
    x[t] = a[i];
    c[i] = x[t ^ 1];  // <-
}
PLANTED(simdgroup_barrier_is_not_enough) {
    threadgroup float x[64];
    x[t] = a[i];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    c[i] = x[63 - t];  // <-
}
PLANTED(device_memory_as_a_mailbox) {
    c[i] = a[i];
    const float other = c[i ^ 1];  // <-
    BARRIER;
    c[i] = other;
}
PLANTED(threadgroups_write_one_element) {
    c[t] = a[i];  // <-
}
PLANTED(threadgroups_read_each_other) {
    c[i] = a[i];                                                                         // <-
    if (g > 0 && c[i - 16] > 0) atomic_fetch_add_explicit(n, 1u, memory_order_relaxed);  // <-
}
PLANTED(atomic_and_plain) {
    atomic_fetch_add_explicit(n, 1u, memory_order_relaxed);
    c[i] = float(*reinterpret_cast<device uint*>(n));  // <-
}
PLANTED(flag_none) {
    threadgroup float x[64];
    x[t] = a[i];
    threadgroup_barrier(mem_flags::mem_none);
    c[i] = x[63 - t];  // <-
}
PLANTED(flag_of_the_other_memory) {
    threadgroup float x[64];
    x[t] = a[i];
    threadgroup_barrier(mem_flags::mem_device);
    c[i] = x[63 - t];  // <-
}
PLANTED(flag_threadgroup_for_device) {
    c[i] = a[i];
    BARRIER;
    const float other = c[i ^ 32];  // <-
    threadgroup_barrier(mem_flags::mem_device);
    c[i] = other;
}
PLANTED(flag_none_in_a_simdgroup) {
    threadgroup float x[64];
    x[t] = a[i];
    simdgroup_barrier(mem_flags::mem_none);
    c[i] = x[t ^ 1];  // <-
}
PLANTED(execution_barrier_before_the_next_write) {  // as the seed with the copy instruction has it
    threadgroup float x[64];
    float sum = 0;
    for (uint r = 0; r < 2; ++r) {
        x[t] = a[i] + float(r);  // <-
        BARRIER;
        sum += x[63 - t];
        threadgroup_barrier(mem_flags::mem_none);
    }
    c[i] = sum;
}
PLANTED(barrier_in_a_branch) {
    if (t < 32) {
        BARRIER;  // <-
        c[i] = a[i];
    } else {
        BARRIER;  // <-
        c[i] = -a[i];
    }
}
PLANTED(return_before_a_barrier) {
    if (t == 5) return;
    BARRIER;  // <-
    c[i] = a[i];
}
PLANTED(loops_of_different_length) {
    float sum = 0;
    for (uint r = 0; r < 1 + t / 32; ++r) {
        BARRIER;  // <-
        sum += a[i];
    }
    c[i] = sum;
}
PLANTED(lanes_in_different_calls) {
    if (lane < 16) c[i] = simd_sum(a[i]);  // <-
    else c[i] = simd_max(a[i]);            // <-
}
PLANTED(lanes_missing_from_a_sum) {
    if (lane == 3) return;
    c[i] = simd_sum(a[i]);  // <-
}
PLANTED(sum_beside_a_barrier) {
    if (lane < 8) {
        c[i] = simd_sum(a[i]);  // <-
        BARRIER;
    } else {
        BARRIER;
        c[i] = 0;
    }
}
PLANTED(matrix_in_half_a_simdgroup) {
    simdgroup_float8x8 m(1);
    simdgroup_store(m, c, 8);  // <-
}
PLANTED(misaligned_vector) {
    const float4 four = *reinterpret_cast<device const float4*>(a + 1 + i % 2);  // <-
    c[i] = four.x + four.w;
}
PLANTED(const_cast_away) {
    device float* writable = (device float*)a;
    writable[i] = 1;  // <-
    c[i] = 0;
}
PLANTED(atomic_on_unwritten) {
    threadgroup atomic_uint count;
    atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);  // <-
    BARRIER;
    c[i] = a[i];
}
PLANTED(atomic_beside_its_reset) {
    threadgroup atomic_uint count;
    if (t == 0) *reinterpret_cast<threadgroup uint*>(&count) = 0;  // <-
    atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);   // <-
    BARRIER;
    c[i] = a[i];
}
PLANTED(too_much_threadgroup_memory) {
    threadgroup float x[8200];
    x[t] = a[i];
    c[i] = x[t];
}
PLANTED(too_many_threads) { c[i & 63] = a[i & 63]; }
kernel void length_of_dynamic_memory(device const float* a [[buffer(0)]], device float* c [[buffer(1)]],
                                     threadgroup float* x [[threadgroup(0)]], uint t [[thread_index_in_threadgroup]]) {
    x[t] = a[t];  // <-
    threadgroup_barrier(mem_flags::mem_threadgroup);
    c[t] = x[t];
}

// The naive kernel of the seeds without its bounds: the grid is larger than the matrix.
PLANTED(grid_larger_than_the_matrix) {
    const uint row = t / 16, col = t % 16, size = 7;
    float sum = 0;
    for (uint q = 0; q < size; ++q) sum += a[row * 10 * size + q] * a[q * size + col];  // <-
    c[t] = sum;
}

struct _simdgroup_event_t;
thread _simdgroup_event_t* __metal_simdgroup_async_copy_2d(ulong, ulong, threadgroup void*, ulong, ulong, ulong2,
                                                           const device void*, ulong, ulong, ulong2, long2,
                                                           int) __asm("air.simdgroup_async_copy_2d.p3i8.p1i8");
void __metal_wait_simdgroup_events(int, thread _simdgroup_event_t**) __asm("air.wait_simdgroup_events");
#define COPY(to, from, rows)                                                                              \
    __metal_simdgroup_async_copy_2d(4, 4, reinterpret_cast<threadgroup void*>(to), 8, 1, ulong2(8, rows), \
                                    reinterpret_cast<const device void*>(from), 8, 1, ulong2(8, rows), long2(0), 0)

PLANTED(copy_never_waited_for) {
    threadgroup float x[64];
    if (s == 0) COPY(x, a, 8);  // <-
    BARRIER;
    c[i] = a[i];
}
PLANTED(copy_read_before_the_wait) {
    threadgroup float x[64];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x, a, 8);
        c[t] = x[t];  // <-
        __metal_wait_simdgroup_events(1, &event);
    }
}
PLANTED(copy_without_a_barrier) {
    threadgroup float x[64];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x, a, 8);  // <-
        __metal_wait_simdgroup_events(1, &event);
    }
    c[i] = x[t];  // <-
}
PLANTED(copy_over_a_tile_in_use) {
    threadgroup float x[64];
    x[t] = 1;
    BARRIER;
    c[i] = x[63 - t];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x, a, 8);  // <-
        __metal_wait_simdgroup_events(1, &event);
    }
}
PLANTED(copy_from_outside) {
    threadgroup float x[128];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x, a, 9);  // <-
        __metal_wait_simdgroup_events(1, &event);
    }
    BARRIER;
    c[i] = x[t];
}
PLANTED(copy_lanes_disagree) {
    threadgroup float x[128];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x + lane % 2 * 8, a, 4);  // <-
        __metal_wait_simdgroup_events(1, &event);
    }
    BARRIER;
    c[i] = x[8];
}

// Nothing is wrong with these.
PLANTED(right_exchange) {
    threadgroup float x[64];
    for (uint r = 0; r < 3; ++r) {
        x[t] = a[i] + float(r);
        BARRIER;
        c[i] = x[63 - t];
        BARRIER;
    }
}
PLANTED(right_in_a_simdgroup) {
    threadgroup float x[64];
    x[t] = a[i];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    const float other = x[t ^ 1];
    simdgroup_barrier(mem_flags::mem_threadgroup);
    x[t] = other;
    c[i] = x[t] + simd_sum(a[i]) + simd_shuffle_xor(a[i], 1);
}
PLANTED(right_through_device_memory) {
    c[i] = a[i];
    threadgroup_barrier(mem_flags::mem_device);
    const float other = c[i ^ 32];
    threadgroup_barrier(mem_flags::mem_device);
    c[i] = other;
}
PLANTED(right_atomics) {
    threadgroup atomic_uint count;
    if (t == 0) atomic_store_explicit(&count, 0u, memory_order_relaxed);
    BARRIER;
    atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);
    BARRIER;
    c[i] = float(atomic_load_explicit(&count, memory_order_relaxed));
    atomic_fetch_add_explicit(n, 1u, memory_order_relaxed);
}
PLANTED(right_copy) {
    threadgroup float x[64];
    if (s == 0) {
        thread _simdgroup_event_t* event = COPY(x, a, 8);
        __metal_wait_simdgroup_events(1, &event);
    }
    BARRIER;
    c[i] = x[t];
}
