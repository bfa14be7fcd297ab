// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

/// Four 8 x 8 matrices of 16 bits of a warp's registers, turned: lane l says where column l % 8 of matrix l / 8 lies.
__device__ inline void store_turned(std::uint32_t address, const std::uint32_t (&f)[4]) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(f[0]),
                 "r"(f[1]), "r"(f[2]), "r"(f[3])
                 : "memory");
}

}  // namespace tw::cuda::ptx
