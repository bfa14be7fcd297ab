// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums of buckets as integers. Shared memory has atomic integer adds that take half the time of a load, an add and a
// store, and their order does not change the sum, so all warps of a block share one array. The step is the smallest for
// which the largest possible sum fits. An output gets at most one weight of an input, so a sum is less than the sum of
// |v| times the largest weight:
//
//   sum of |v| < 2^n, |w| < 2^15  ->  v w 2^(15 - n), each rounded, come to less than 2^30 and half a step for each
//
// So a step is 2^-30 of that bound, and a sum's error grows with the root of the number of products: 2e-6 of a result's
// size when measured, where floats had 1e-7. The positions in the weights' low bits cost 3e-3.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::row_kernels {

constexpr int bits_of_magnitudes = 10;

/// |v| times the scale is less than 2; this rounds it up to an integer, of which two million can be summed.
__device__ inline unsigned magnitude_of(float v) {
    return static_cast<unsigned>(__float2int_ru(fabsf(v) * (1 << bits_of_magnitudes)));
}

/// Called by whole warps.
__device__ inline void add_magnitudes(unsigned& all, unsigned of_thread) {
    const unsigned of_warp = __reduce_add_sync(~0u, of_thread);
    if (threadIdx.x % 32 == 0) ptx::add(ptx::shared_address(&all), of_warp);
}

class WholeSums {
public:
    /// `most`: the bits of the largest |v|; `magnitudes`: summed over the inputs.
    __device__ WholeSums(const Params& w, unsigned most, unsigned magnitudes)
        : scale_(scale_for(most)),
          step_(step_of(w, magnitudes)),
          exponent_of_entries_(w.is_chosen ? 0 : w.m.exponent_of_rows) {}

    /// A weight times this is the product as an integer.
    __device__ float unit(float v) const { return v * scale_ * __int_as_float((127 + step_) << 23); }

    /// The value of a sum; the scale is a power of 2.
    __device__ float number(int sum) const {
        const int of_scale = (__float_as_int(scale_) >> 23) - 127;
        return static_cast<float>(
            sum * __longlong_as_double(static_cast<long long>(1023 - step_ - of_scale - exponent_of_entries_) << 52));
    }

private:
    /// Weights are less than 2^15, over the power of 2 that the rows are not scaled by.
    __device__ static int step_of(const Params& w, unsigned magnitudes) {
        return min(100,
                   __clz(static_cast<int>(magnitudes)) - 17 + bits_of_magnitudes + w.m.exponent - w.m.exponent_of_rows);
    }

    float scale_;
    int step_, exponent_of_entries_;
};

}  // namespace tw::cuda::effort::row_kernels
