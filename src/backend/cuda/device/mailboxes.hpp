// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Letters between blocks of a kernel: 64 bits in the device's memory, a number and beside it whether it has come.
// Whoever reads one leaves a zero behind.
#pragma once

#include <cstdint>

namespace tw::cuda {

inline constexpr int most_letters = 1 << 18;

/// Beside kept_scratch() of the stream, zeros at first. The scratch must be there.
std::uint64_t* kept_letters(void* stream) noexcept;

}  // namespace tw::cuda
