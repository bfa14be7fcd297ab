// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_select: which units of which inputs a product reads, in one threadgroup. A row (unit u of input i) is worth
// |v_i| * importance[i], its bits lowered by the unit's fall; the cutoff is found by counting, eight bits of it at a time; entries are numbered by prefix sums.
// Atomics count whole numbers alone, whose order changes nothing: the choice is the CPU's, bit for bit, on any run.
//
//     worths       256 counters          cutoff      inputs            entries
//   |########| -> |..|###|..|..| -> 4x -> |  -> k = 2 0 1 3 0 1 -> (0,2) (2,1) (3,3) (5,1)
//
// Needs: any Metal GPU with 1024 threads in a threadgroup. Counts, I inputs, U units, E entries:
// device loads 12 I of v and `left` and 4 E of gains (planes), and unless everything is taken 6 x 8 IU of worths; stores 12 E + 16.
#include "effort_parameters.h"

constant constexpr uint THREADS = 1024, GROUPS = 32, BINS = 256;

/// The sum over the threads before this one; `all` is that over all threads. Whole numbers: no order matters.
inline uint prefix_of(uint x, threadgroup uint* sums, thread uint& all, uint simdgroup_index, uint lane) {
    const uint before = simd_prefix_exclusive_sum(x);
    if (lane == 31) sums[simdgroup_index] = before + x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint below = 0, total = 0;
    for (uint g = 0; g < GROUPS; ++g) {
        total += sums[g];
        if (g < simdgroup_index) below += sums[g];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = total;
    return below + before;
}

inline float total_of(float x, threadgroup float* sums, uint simdgroup_index, uint lane) {
    const float mine = simd_sum(x);
    if (lane == 0) sums[simdgroup_index] = mine;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float total = 0.0f;
    for (uint g = 0; g < GROUPS; ++g) total += sums[g];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return total;
}

/// Not negative, so the bits are ordered as the numbers are.
inline uint worth_of(device const float* v, device const float* importance, constant EffortChoice& p, uint u, uint i) {
    const float scaled = fabs(v[i]) * p.scale;
    const uint key = as_type<uint>(scaled * importance[i]) & 0x7fffffffu;
    return key - min(key, p.falls[u] << 16);
}

kernel void effort_select(device const float* v [[buffer(0)]], device const float* importance [[buffer(1)]],
                          device const float* left [[buffer(2)]], device const float* gains [[buffer(3)]],
                          constant EffortChoice& p [[buffer(4)]], device EffortEntry* entries [[buffer(5)]],
                          device EffortChosen& chosen [[buffer(6)]], uint t [[thread_index_in_threadgroup]],
                          uint simdgroup_index [[simdgroup_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
    threadgroup atomic_uint counters[BINS];
    threadgroup atomic_uint ties[32];
    threadgroup uint sums[GROUPS];
    threadgroup float parts[GROUPS];
    threadgroup uint found[2];  // the bin of the cutoff, and the weight above it

    uint worth = 0, above = 0;
    for (int shift = 24; shift >= 0 && p.everything == 0; shift -= 8) {
        if (t < BINS) atomic_store_explicit(&counters[t], 0u, memory_order_relaxed);
        if (t == 0) found[0] = shift == 24 ? 127 : 255, found[1] = above;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        const uint known = shift == 24 ? 0u : ~0u << (shift + 8);
        for (uint u = 0; u < p.units; ++u)
            for (uint i = t; i < p.inputs; i += THREADS) {
                const uint w = worth_of(v, importance, p, u, i);
                if (((w ^ worth) & known) == 0)
                    atomic_fetch_add_explicit(&counters[w >> uint(shift) & 255u], p.weights[u], memory_order_relaxed);
            }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        // From the top bin down: the first that brings the sum to what is to be reached.
        const uint mine = t < BINS ? atomic_load_explicit(&counters[BINS - 1 - t], memory_order_relaxed) : 0u;
        uint all = 0;
        const uint before = above + prefix_of(mine, sums, all, simdgroup_index, lane);
        if (before < p.reached && before + mine >= p.reached) found[0] = BINS - 1 - t, found[1] = before;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        worth |= found[0] << uint(shift);
        above = found[1];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }

    // Rows at the cutoff are taken in the order of (unit, input) while they can be afforded.
    if (t < 32) atomic_store_explicit(&ties[t], 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint u = 0; u < p.units && p.everything == 0; ++u)
        for (uint i = t; i < p.inputs; i += THREADS)
            if (worth_of(v, importance, p, u, i) == worth) atomic_fetch_add_explicit(&ties[u], 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);

    uint written = 0;
    uint taken_of[32];  // ties of each unit that earlier blocks of inputs had
    for (uint u = 0; u < 32; ++u) taken_of[u] = 0;
    float lost = 0.0f, whole = 0.0f;
    for (uint first = 0; first < p.inputs; first += THREADS) {
        const uint i = first + t;
        const bool there = i < p.inputs;
        uint k = p.everything != 0 && there ? p.units : 0u, spent = above;
        for (uint u = 0; u < p.units && p.everything == 0; ++u) {
            const uint w = there ? worth_of(v, importance, p, u, i) : 0u;
            const uint count = atomic_load_explicit(&ties[u], memory_order_relaxed);
            k += uint(there && w > worth);
            if (count == 0) continue;  // for all threads alike
            const uint tie = uint(there && w == worth);
            uint all = 0;
            const uint before = taken_of[u] + prefix_of(tie, sums, all, simdgroup_index, lane);
            k += uint(tie != 0 && spent + (before + 1) * p.weights[u] <= p.affordable);
            taken_of[u] += all;
            spent += count * p.weights[u];
        }
        uint all = 0;
        const uint at = written + prefix_of(uint(k > 0), sums, all, simdgroup_index, lane);
        written += all;
        const float x = there ? v[i] : 0.0f;
        if (there) {
            const float scaled = x * p.scale;
            whole += scaled * scaled * left[i];
            lost += scaled * scaled * left[ulong(k) * p.inputs + i];
        }
        if (k > 0) {
            const float gain = p.has_gains != 0 ? gains[ulong(k - 1) * p.inputs + i] : 1.0f;
            entries[at].input = i;
            entries[at].units = k;
            entries[at].v = x * p.entry_scale * gain;
        }
    }
    lost = total_of(lost, parts, simdgroup_index, lane);
    whole = total_of(whole, parts, simdgroup_index, lane);
    if (t == 0) {
        chosen.entries = written;
        chosen.worth = worth;
        chosen.fine = uint(whole <= 0.0f || lost < 0.04f * 0.04f * whole);
        chosen.unused = 0;
    }
}
