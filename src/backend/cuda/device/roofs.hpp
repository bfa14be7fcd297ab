// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofs of the current device: by formula from what it says of itself, and FMA and memory by a loop.
#pragma once

#include <cstdint>

#include "backend/contract.hpp"

namespace tw::cuda {

/// What a multiprocessor does in a clock, by compute capability: flops, from the tables of NVIDIA's documents.
struct Rates {
    int major, minor;
    int fma_f32, fma_f64;
    int tensor_f16, tensor_tf32, tensor_f64;  ///< of dense operands, summed in f32 or f64; bf16 is as f16. 0: not known
};

/// All zero for a chip that is not in the table.
Rates rates_of(int major, int minor) noexcept;

inline constexpr int roof_count = 7;
extern const Roof roofs[roof_count];

/// Floats that the memory's loop reads: more than any cache holds.
inline constexpr std::int64_t roof_floats = std::int64_t{1} << 27;

/// Enqueues FMA on the whole device, `steps` steps of every thread, and says how many flops that is.
Status launch_fma(bool is_f64, int steps, double& flops) noexcept;

/// Enqueues reading `roof_floats` floats from `from`.
Status launch_reading(const float* from) noexcept;

}  // namespace tw::cuda
