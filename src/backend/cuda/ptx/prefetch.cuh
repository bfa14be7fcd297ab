// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Into L2 alone (sm_90), which is coherent: nothing stale is read where another kernel still writes.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// All 16 bytes of memory that these touch.
__device__ inline void prefetch_bytes(const void* from, int bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(from), first = address & ~std::uintptr_t{15};
    const auto all = static_cast<std::uint32_t>(address + static_cast<unsigned>(bytes) + 15 - first) & ~15u;
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first), "r"(all) : "memory");
}

}  // namespace tw::cuda::ptx
