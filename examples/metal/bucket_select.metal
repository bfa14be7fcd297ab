// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// For metal-check, after seed 004: bucketMul as the essay draws it. A thread has one bucket of OUTPUTS results; every
// weight says in its low bits which of them it belongs to, and a loop of selects adds v to that one and 0 to the
// others. -D AS_DRAWN keeps what the essay's drawing gets wrong, so that metal-check refuses it. -D BY_INDEX adds to
// the one result alone. docs/metal-seeds.md runs them.
#include <metal_stdlib>
using namespace metal;

#ifndef OUTPUTS
#define OUTPUTS 16
#endif

// dispatch: pairs of a vector's element and the row of weights that it multiplies
kernel void bucket_mul(device const half* weights [[buffer(0)]], device const float2* dispatch [[buffer(1)]],
                       device float* result [[buffer(2)]], constant uint* rows [[buffer(3)]],
                       uint bucket [[thread_position_in_grid]], uint buckets [[threads_per_grid]]) {
    float sums[OUTPUTS] = {0};
#ifdef AS_DRAWN
    for (uint r = 0; r < rows; ++r) {
        const float2 entry = dispatch[row];
#else
    for (uint r = 0; r < rows[0]; ++r) {
        const float2 entry = dispatch[r];
#endif
        const half w = weights[uint(entry.y) * buckets + bucket];
        const float v = entry.x * float(w);
        const ushort place = as_type<ushort>(w) & (OUTPUTS - 1);
#ifdef BY_INDEX
        sums[place] += v;
#else
        for (ushort i = 0; i < OUTPUTS; ++i) sums[i] += place == i ? v : 0;
#endif
    }
#ifdef AS_DRAWN
    for (uint i = 0; i < OUTPUTS; ++i) result[mine + i] = sums[i];
#else
    for (uint i = 0; i < OUTPUTS; ++i) result[bucket * OUTPUTS + i] = sums[i];
#endif
}
