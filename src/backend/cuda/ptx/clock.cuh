// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The device's clock.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline std::uint64_t nanoseconds() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
    return now;
}

}  // namespace tw::cuda::ptx
