// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Many sums over the lanes of a warp at once: halves of them change hands, until each lane has its own few.
#pragma once

namespace tw::cuda {

/// x[0] and on become the sums of what the lanes have at the number that is returned and on: count / 32 of them, and
/// one, in several lanes the same, of fewer than 32. count: a power of two.
template <int count>
__device__ int sum_over_lanes(float (&x)[count]) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    int first = 0;
#pragma unroll
    for (int bit = 16, half = count / 2; bit > 0; bit /= 2, half /= 2) {
        if (half == 0) {
            x[0] += __shfl_xor_sync(~0u, x[0], bit);
            continue;
        }
        const bool upper = (lane & bit) != 0;
#pragma unroll
        for (int e = 0; e < count / 2; ++e) {
            if (e >= half) break;
            const float given = upper ? x[e] : x[e + half], kept = upper ? x[e + half] : x[e];
            x[e] = kept + __shfl_xor_sync(~0u, given, bit);
        }
        first += upper ? half : 0;
    }
    return first;
}

}  // namespace tw::cuda
