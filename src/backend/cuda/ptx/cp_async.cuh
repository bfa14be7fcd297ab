// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cp.async: global to shared memory without passing through registers (sm_80). Bytes that are not `valid` become 0.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline std::uint32_t shared_address(const void* pointer) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(pointer));
}

/// 4 bytes, through L1.
__device__ inline void copy_4(std::uint32_t to, const void* from, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(from), "r"(valid ? 4 : 0) : "memory");
}

/// 8 bytes, through L1.
__device__ inline void copy_8(std::uint32_t to, const void* from, bool valid) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from), "r"(valid ? 8 : 0) : "memory");
}

/// 16 bytes, both addresses multiples of 16, past L1.
__device__ inline void copy_16(std::uint32_t to, const void* from, int valid_bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(valid_bytes) : "memory");
}

__device__ inline void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }

/// Until at most `pending` of the groups committed last are still on their way.
template <int pending>
__device__ void wait_for_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

}  // namespace tw::cuda::ptx
