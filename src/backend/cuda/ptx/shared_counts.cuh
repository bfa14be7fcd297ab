// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Whole numbers in the block's shared memory that many threads change. One instruction each: of its own accord the compiler branches
// around them and adds up what the lanes of a warp have, which pays only where these have the same place.
#pragma once

#include "backend/cuda/ptx/cp_async.cuh"

namespace tw::cuda::ptx {

__device__ inline void add_where(bool is_so, std::uint32_t counter, unsigned x) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p red.shared.add.u32 [%0], %1;\n}" ::"r"(counter), "r"(x), "r"(static_cast<unsigned>(is_so)) : "memory");
}
__device__ inline void raise_where(bool is_so, std::uint32_t counter, unsigned x) {
    asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %2, 0;\n@p red.shared.max.u32 [%0], %1;\n}" ::"r"(counter), "r"(x), "r"(static_cast<unsigned>(is_so)) : "memory");
}

/// What it was before.
__device__ inline unsigned take_number(std::uint32_t counter) {
    unsigned number;
    asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(number) : "r"(counter) : "memory");
    return number;
}

}  // namespace tw::cuda::ptx
