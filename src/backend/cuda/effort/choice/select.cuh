// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the selections of the effort dial share: the scale of a vector, and what is told of a choice when it has been
// made.
#pragma once

#include "backend/cuda/effort/effort.cuh"

namespace tw::cuda::effort {

/// Two to this brings the largest |v| to 1..2; 0 for what is not finite, as unit_scale() of the CPU has it.
__device__ inline float scale_for(unsigned most) {
    if (most >= 0x7f800000u) return 0;
    if (most == 0) return 1;
    const int exponent = min(126, most >> 23 ? 127 - static_cast<int>(most >> 23) : 126);
    return __uint_as_float(exponent >= -126 ? static_cast<unsigned>(exponent + 127) << 23 : 0x00400000u);
}

/// What the sums of products with v times its scale are times, to be y: a power of 2, its exponent from -226 to 227.
__device__ inline double factor_of(const Work& w, unsigned most) {
    if (most >= 0x7f800000u) return __longlong_as_double(0x7ff8000000000000ll);  // not a number
    const int of_scale =
        static_cast<int>(__float_as_uint(scale_for(most)) >> 23) - 127;  // of 2^-127, which has no such bits, too
    return __longlong_as_double(static_cast<long long>(1023 - of_scale - w.m.exponent) << 52);
}

/// `most`: the bits of the largest |v|.
__device__ inline EffortChosen conclude(const Work& w, unsigned entries, unsigned worth, unsigned most) {
    const bool is_planes = w.m.layout == EffortLayout::planes;
    const double not_a_number = __longlong_as_double(0x7ff8000000000000ll);
    const double factor = is_planes ? factor_of(w, most) : most >= 0x7f800000u ? not_a_number : 1.0;
    return {entries, worth, is_planes, __float_as_uint(scale_for(most)), factor};
}

}  // namespace tw::cuda::effort
