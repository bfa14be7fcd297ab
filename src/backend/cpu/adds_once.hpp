// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "tilewright/types.hpp"

namespace tw::cpu {

/// Whether C = A B + C by this kernel of the CPU is A B, rounded, and then added to C: k is one block, all of which is
/// summed before C is read.
constexpr bool adds_once(const Kernel& kernel, std::int64_t k) noexcept {
    const bool in_blocks = kernel.order == order_fused_in_blocks || kernel.order == order_in_blocks;
    return in_blocks && k <= KC<std::byte> / static_cast<std::int64_t>(size_of(kernel.sum));
}

}  // namespace tw::cpu
