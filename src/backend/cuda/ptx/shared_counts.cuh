// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whole numbers in the block's shared memory that many threads change. One instruction each: of its own accord the
// compiler adds up what the lanes of a warp have, which pays only where these have the same place. There is no
// condition: it would be a branch.
#pragma once

#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda::ptx {

__device__ inline void add(std::uint32_t counter, unsigned x) {
    asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(counter), "r"(x) : "memory");
}

/// What it was before.
__device__ inline unsigned take_number(std::uint32_t counter) {
    unsigned number;
    asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(number) : "r"(counter) : "memory");
    return number;
}

}  // namespace tw::cuda::ptx
