// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The numbers that bf16 parts hold without loss on a unit that flushes subnormals: zero, and 2^-40 to 2^58.
//
// At 2^-40 the last bit of a part is at least 2^-63, and its product with another operand's first part 2^-103: normal;
// what cancellation may flush, 2^-126 an addition, is far below u times a product of 2^-80. Below 2^58 a block of 2048
// products stays under 2^127.
#pragma once

#include <cstdint>

namespace tw::cpu {

/// As the bits of an f32 without its sign.
inline constexpr std::uint32_t window_begin = (127u - 40u) << 23, window_end = (127u + 58u) << 23;

}  // namespace tw::cpu
