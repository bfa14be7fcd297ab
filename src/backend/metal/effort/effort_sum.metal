// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// effort_sum: one thread for each output adds the chunks' sums, from the first chunk to the last. Sums of different
// threadgroups are added only here, in this order.
//
// Needs: any Metal GPU. Counts, O outputs, C chunks of 128 entries that there were: device loads 4 CO, stores 4 O;
// flops CO.
#include "effort_parameters.h"

kernel void effort_sum(device const float* partial [[buffer(0)]], constant EffortProduct& p [[buffer(1)]],
                       constant EffortChosen& chosen [[buffer(2)]], device float* y [[buffer(3)]],
                       uint o [[thread_position_in_grid]]) {
    if (o >= p.outputs) return;
    const uint chunks = (chosen.entries + CHUNK - 1) / CHUNK;
    float sum = 0.0f;
    for (uint chunk = 0; chunk < chunks; ++chunk) sum += partial[ulong(chunk) * p.padded_outputs + o];
    y[o] = sum;
}
