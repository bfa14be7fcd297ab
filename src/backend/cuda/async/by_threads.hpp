// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of a short k whose operands no TMA reads: a kernel of its own, which needs no copies of them.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// By sizes: one stage of k, or a few where all tiles have their place on the chip at once. 4361 x 1456 x 78 of 420
/// tiles took an H200 11.8 us by copies, 17.4 by threads; 2144 x 1733 x 88 of 238 12.5 and 10.1.
constexpr bool is_for_threads(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t products) {
    const bool small = m <= 64 || n <= 64;
    const std::int64_t at_once = small && products > 1 ? 8 * 264 : 264;
    return k <= 64 || (k <= (small ? 256 : 128) && (m + 127) / 128 * ((n + 127) / 128) * products <= at_once);
}

/// TMA does not read its operands as they lie, or they are a few products by pointers; and C is of 16 bits, its rows
/// contiguous, and no more than alpha times the sums.
bool takes_by_threads(const Call& call) noexcept;

/// Scratch holds a batch's places.
Status run_by_threads(const Call& call) noexcept;

}  // namespace tw::cuda
