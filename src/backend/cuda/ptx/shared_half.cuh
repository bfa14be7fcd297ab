// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// 16 bits from shared memory, in their place among other loads and barriers.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline std::uint32_t load_half(std::uint32_t from) {
    std::uint16_t x;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(from) : "memory");
    return x;
}

}  // namespace tw::cuda::ptx
