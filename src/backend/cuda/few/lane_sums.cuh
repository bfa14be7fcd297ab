// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Many sums over the lanes of a warp at once: at each step a lane gives half of its numbers away, until it has few
// sums.
#pragma once

namespace tw::cuda {

/// Adds up the lanes' x[i] for each i < count, a power of two. A lane gets count / 32 of the sums, those from the
/// number that is returned on, in x[0] and on. Of fewer than 32 sums each lane gets one, and several lanes the same.
template <class T, int count>
__device__ int sum_over_lanes(T (&x)[count]) {
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
            const T given = upper ? x[e] : x[e + half], kept = upper ? x[e + half] : x[e];
            x[e] = kept + __shfl_xor_sync(~0u, given, bit);
        }
        first += upper ? half : 0;
    }
    return first;
}

}  // namespace tw::cuda
