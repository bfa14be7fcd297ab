// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_select: one threadgroup chooses which units of which inputs a product reads. A row (unit u of input i) is
// worth the bits of |v_i| * importance[i] less the unit's fall. Rows are ordered by worth, then by place, which is u *
// inputs
// + i; all rows before the cutoff are read. The cutoff's worth is found two bits a step, then its place: each step
// weighs the rows before three guesses. Only integers are added, so the choice is the CPU's, bit for bit, in every run;
// entries are numbered by prefix sums.
//
//     keys     less falls      before the row      inputs            entries
//   |######| -> |######|   ->  k = 2 0 1 3 0 1  -> (0,2) (2,1) (3,3) (5,1)
//               |###|
//
// Needs: any Metal GPU with 1024 threads in a threadgroup. Counts, I inputs, U units, E entries: device loads 12 I of v
// and `left` and 4 E of gains (planes), and unless everything is taken 4 I and 8 I for each of the 16 steps of the
// worth and half the bits of U I of the place; stores 12 E + 16.
#include "effort_parameters.h"

constant constexpr uint THREADS = 1024, GROUPS = 32, GUESSES = 3;

/// The sum over the threads before this one; `all`: over all threads. Of integers, so the order does not matter.
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

/// The key is not negative, so its bits are ordered as the numbers are.
inline uint key_of(float v, float importance, constant EffortChoice& p) {
    const float scaled = fabs(v) * p.scale;
    const float key = scaled * importance;
    return as_type<uint>(key) & 0x7fffffffu;
}

/// How many units of input i are before the row of that worth and place.
inline uint units_before(constant EffortChoice& p, uint key, uint i, uint worth, uint place) {
    uint k = 0;
    for (; k < p.units; ++k) {
        const uint fall = p.falls[k] << 16, own = key - min(key, fall);
        if (own < worth || (own == worth && k * p.inputs + i >= place)) break;
    }
    return k;
}

/// The largest worth for which the rows of at least that worth weigh enough; with `of_places` the largest place for
/// which the rows of that worth before it are affordable, together with all that are worth more.
inline uint search(device const float* v, device const float* importance, constant EffortChoice& p, bool of_places,
                   uint worth, threadgroup uint* sums, uint t, uint simdgroup_index, uint lane) {
    uint found = 0;
    for (int shift = of_places ? int(31 - clz(p.units * p.inputs)) & ~1 : 30; shift >= 0; shift -= 2) {
        uint weight[GUESSES] = {0, 0, 0};
        for (uint i = t; i < p.inputs; i += THREADS) {
            const uint key = key_of(v[i], importance[i], p);
            for (uint g = 0; g < GUESSES; ++g) {
                const uint guess = found + ((g + 1) << uint(shift));
                weight[g] +=
                    p.weights[of_places ? units_before(p, key, i, worth, guess) : units_before(p, key, i, guess, ~0u)];
            }
        }
        for (uint g = 0; g < GUESSES; ++g) {
            const uint of_group = simd_sum(weight[g]);
            if (lane == 0) sums[g * GROUPS + simdgroup_index] = of_group;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint right = 0;  // the first guesses are, or none is
        for (uint g = 0; g < GUESSES; ++g) {
            const uint all = simd_sum(sums[g * GROUPS + lane]);
            right += uint(of_places ? all <= p.affordable : all >= p.reached);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        found += right << uint(shift);
    }
    return found;
}

kernel void effort_select(device const float* v [[buffer(0)]], device const float* importance [[buffer(1)]],
                          device const float* left [[buffer(2)]], device const float* gains [[buffer(3)]],
                          constant EffortChoice& p [[buffer(4)]], device EffortEntry* entries [[buffer(5)]],
                          device EffortChosen& chosen [[buffer(6)]], uint t [[thread_index_in_threadgroup]],
                          uint simdgroup_index [[simdgroup_index_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]]) {
    threadgroup uint sums[GUESSES * GROUPS];
    threadgroup float parts[GROUPS];

    uint worth = 0, place = 0;
    if (p.everything == 0) {
        worth = min(search(v, importance, p, false, 0, sums, t, simdgroup_index, lane), 0x7fffffffu);
        place = search(v, importance, p, true, worth, sums, t, simdgroup_index, lane);
    }

    uint written = 0;
    float lost = 0.0f, whole = 0.0f;
    for (uint first = 0; first < p.inputs; first += THREADS) {
        const uint i = first + t;
        const bool there = i < p.inputs;
        const float x = there ? v[i] : 0.0f;
        uint k = 0;
        if (there) {
            k = p.everything != 0 ? p.units : units_before(p, key_of(x, importance[i], p), i, worth, place);
            const float scaled = x * p.scale;
            whole += scaled * scaled * left[i];
            lost += scaled * scaled * left[ulong(k) * p.inputs + i];
        }
        uint all = 0;
        const uint at = written + prefix_of(uint(k > 0), sums, all, simdgroup_index, lane);
        written += all;
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
