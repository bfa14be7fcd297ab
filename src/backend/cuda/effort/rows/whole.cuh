// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sums of buckets as whole numbers. Shared memory adds to a whole number by itself, in half the time that reading,
// adding and writing take, and in any order comes the same sum: all warps of a block have one array. A step of it is so
// small that the largest sum that there can be just fits. An output gets at most one weight of an input, so this is
// less than the sum of |v| times the largest weight:
//
//   sum of |v| < 2^n, |w| < 2^15  ->  v w 2^(15 - n), each rounded, come to less than 2^30 and half a step for each
//
// So a step is 2^-30 of that bound, and a sum's error grows with the root of the products: 2e-6 of a result's size in
// what was tried, where floats had 1e-7. Positions in the weights' low bits cost 3e-3.
#pragma once

#include "backend/cuda/effort/choice/select.cuh"
#include "backend/cuda/ptx/shared_counts.cuh"

namespace tw::cuda::effort::of_rows {

constexpr int bits_of_magnitudes = 10;

/// Of |v| times the scale, which is less than 2: a whole number that is not smaller. Of two million inputs the sum
/// fits.
__device__ inline unsigned magnitude_of(float v) {
    return static_cast<unsigned>(__float2int_ru(fabsf(v) * (1 << bits_of_magnitudes)));
}

/// By whole warps.
__device__ inline void add_magnitudes(unsigned& all, unsigned of_thread) {
    const unsigned of_warp = __reduce_add_sync(~0u, of_thread);
    if (threadIdx.x % 32 == 0) ptx::add(ptx::shared_address(&all), of_warp);
}

class WholeSums {
public:
    /// most: the bits of the largest |v|; magnitudes: of the inputs that there are, added up.
    __device__ WholeSums(const Work& w, unsigned most, unsigned magnitudes)
        : scale_(scale_for(most)),
          step_(step_of(w, magnitudes)),
          exponent_of_entries_(w.is_chosen ? 0 : w.m.exponent_of_rows) {}

    /// What a weight is times, to be the product as a whole number.
    __device__ float unit(float v) const { return v * scale_ * __int_as_float((127 + step_) << 23); }

    /// What a sum is in the end; the scale is a power of 2.
    __device__ float number(int sum) const {
        const int of_scale = (__float_as_int(scale_) >> 23) - 127;
        return static_cast<float>(
            sum * __longlong_as_double(static_cast<long long>(1023 - step_ - of_scale - exponent_of_entries_) << 52));
    }

private:
    /// Weights are less than 2^15 over the power of 2 that rows lack.
    __device__ static int step_of(const Work& w, unsigned magnitudes) {
        return min(100,
                   __clz(static_cast<int>(magnitudes)) - 17 + bits_of_magnitudes + w.m.exponent - w.m.exponent_of_rows);
    }

    float scale_;
    int step_, exponent_of_entries_;
};

}  // namespace tw::cuda::effort::of_rows
