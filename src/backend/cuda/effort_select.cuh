// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What both selections of the effort dial share: the scale of a vector, and what is told of a choice when it has been made.
#pragma once

#include "backend/cuda/effort.cuh"

namespace tw::cuda::effort {

/// Two to this brings the largest |v| to 1..2; 0 for what is not finite, as unit_scale() of the CPU has it.
__device__ inline float scale_for(unsigned most) {
    if (most >= 0x7f800000u) return 0;
    if (most == 0) return 1;
    const int exponent = min(126, most >> 23 ? 127 - static_cast<int>(most >> 23) : 126);
    return __uint_as_float(exponent >= -126 ? static_cast<unsigned>(exponent + 127) << 23 : 0x00400000u);
}

__device__ inline double sum_of_warp(double x) {
#pragma unroll
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(~0u, x, step);
    return x;
}

/// `most`: the bits of the largest |v|; of all (v_i x what the matrix has of input i)^2, `lost` is not read.
__device__ inline EffortChosenOnDevice conclude(const Work& w, unsigned entries, unsigned worth, unsigned most, double lost, double whole) {
    constexpr double below_it_fine = 0.04;  // as effort/job.cpp has it
    const bool has_gains = w.m.layout == EffortLayout::planes;
    const float scale = scale_for(most);
    const double predicted = whole > 0 ? sqrt(lost / whole) : 0;
    const double not_a_number = __longlong_as_double(0x7ff8000000000000ll);
    const double factor = has_gains ? scalbn(1 / static_cast<double>(scale), -w.m.exponent) : 1.0;
    return {entries, worth, static_cast<std::uint32_t>(has_gains && predicted < below_it_fine), __float_as_uint(scale),
            most >= 0x7f800000u ? not_a_number : factor};
}

/// The selection for planes of up to 16384 inputs, with clusters: effort_select_planes.cu. False: this matrix is not for it.
bool selects_in_registers(const EffortOnDevice& m);
Status start_selection_in_registers(const Work& w, int products, void* stream);

}  // namespace tw::cuda::effort
