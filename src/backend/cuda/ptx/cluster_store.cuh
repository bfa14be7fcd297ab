// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Stores to shared memory of another block of the cluster (sm_90), by that block's own addresses.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// Where `address` is in that block.
__device__ inline std::uint32_t place_in(std::uint32_t address, int block) {
    std::uint32_t there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(block));
    return there;
}

/// Four floats to a place_in().
__device__ inline void store_4_in(std::uint32_t there, float x, float y, float z, float w) {
    asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there), "f"(x), "f"(y), "f"(z), "f"(w)
                 : "memory");
}

}  // namespace tw::cuda::ptx
