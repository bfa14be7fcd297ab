// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cp.async of the first bytes of four or eight (sm_80): the others become 0, and nothing behind the first is read.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline void copy_some_of_4(std::uint32_t to, const void* from, int valid_bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(valid_bytes) : "memory");
}

__device__ inline void copy_some_of_8(std::uint32_t to, const void* from, int valid_bytes) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(valid_bytes) : "memory");
}

}  // namespace tw::cuda::ptx
