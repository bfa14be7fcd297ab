// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A warp's fragment of an operand out of shared memory, whichever way the operand lies: few_steps' and few_steps_mma's.
#pragma once

#include <cstdint>

#include "backend/cuda/ptx/ldmatrix.cuh"
#include "backend/cuda/ptx/shared_load.cuh"

namespace tw::cuda::inside {

/// The unit's fragment of 16 lines and 8 of k: words 0 and 2 are of the first eight, 1 and 3 of the others.
template <bool is_across>
__device__ void read_words(std::uint32_t (&to)[4], std::uint32_t from, int pitch, int first, int k) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    if constexpr (is_across) {
        const std::uint32_t at = from + (k + lane % 4) * pitch + (first + lane / 4) * 4;
#pragma unroll
        for (int i = 0; i < 4; ++i) to[i] = ptx::load_word(at + i / 2 * 4 * pitch + i % 2 * 32);
    } else {
        ptx::load_matrices(to, from + (first + lane % 16) * pitch + (k + lane / 16 * 4) * 4);
    }
}

}  // namespace tw::cuda::inside
