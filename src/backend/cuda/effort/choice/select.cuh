// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shared by the kernels that choose: the worth of an input, the scale of a vector, and the record of a choice.
#pragma once

#include "backend/cuda/effort/effort.cuh"

namespace tw::cuda::effort {

__device__ inline double not_a_number() { return __longlong_as_double(0x7ff8000000000000ll); }

/// |x| as bits: positive numbers are ordered as their bits are.
__device__ inline unsigned bits_of_size(float x) { return __float_as_uint(x) & 0x7fffffffu; }

__device__ inline unsigned largest_size(const float4& x) {
    return max(max(bits_of_size(x.x), bits_of_size(x.y)), max(bits_of_size(x.z), bits_of_size(x.w)));
}

/// The worth of an input's first unit.
__device__ inline unsigned key_of_input(float v, float scale, float importance) {
    return __float_as_uint(__fmul_rn(__fmul_rn(fabsf(v), scale), importance)) & 0x7fffffffu;
}

/// The power of 2 that brings the largest |v| to 1..2; 0 if it is not finite. Like unit_scale() on the CPU.
__device__ inline float scale_for(unsigned most) {
    if (most >= 0x7f800000u) return 0;
    if (most == 0) return 1;
    const int exponent = min(126, most >> 23 ? 127 - static_cast<int>(most >> 23) : 126);
    return __uint_as_float(exponent >= -126 ? static_cast<unsigned>(exponent + 127) << 23 : 0x00400000u);
}

/// y is the sums times this: a power of 2 with an exponent from -226 to 227, as products are with v times its scale.
__device__ inline double factor_of(const Params& w, unsigned most) {
    if (most >= 0x7f800000u) return not_a_number();
    const int of_scale =
        static_cast<int>(__float_as_uint(scale_for(most)) >> 23) - 127;  // of 2^-127, which has no such bits, too
    return __longlong_as_double(static_cast<long long>(1023 - of_scale - w.m.exponent) << 52);
}

/// `most`: the bits of the largest |v|.
__device__ inline EffortChosen conclude(const Params& w, unsigned entries, unsigned worth, unsigned most) {
    const bool is_planes = w.m.layout == EffortLayout::planes;
    const double factor = is_planes ? factor_of(w, most) : most >= 0x7f800000u ? not_a_number() : 1.0;
    return {entries, worth, is_planes, __float_as_uint(scale_for(most)), factor};
}

}  // namespace tw::cuda::effort
