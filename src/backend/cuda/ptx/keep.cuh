// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// No instruction at all: an empty asm, for which the compiler takes a value as changed. It stays in its register and is
// not computed again from what it was made of.
#pragma once

#include <cstdint>

namespace tw::cuda::ptx {

__device__ inline void keep(int& x) { asm volatile("" : "+r"(x)); }
__device__ inline void keep(std::uint32_t& x) { asm volatile("" : "+r"(x)); }
__device__ inline void keep(std::uint32_t& x, std::uint32_t& y) { asm volatile("" : "+r"(x), "+r"(y)); }

}  // namespace tw::cuda::ptx
