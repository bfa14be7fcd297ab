// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofs of a Mac's GPU, by formula: Metal tells neither its clock nor its bandwidth, so they are looked up by its
// name. SIMD-group matrices are multiplied by the units that do FMA, so that they have no roof of their own.
#pragma once

#include <string_view>

#include "backend/contract.hpp"

namespace tw::metal {

struct Chip {
    std::string_view name;  ///< as Metal says it
    double clock_ghz;       ///< 0: not known
    double gigabytes_per_second;
};

/// All zero for a chip that is not in the table.
Chip chip_of(std::string_view name) noexcept;

/// 256 flops a clock and core.
double fma_gflops(std::string_view name, int cores) noexcept;

/// As the system counts them; 0 when it does not say.
int gpu_cores() noexcept;

inline constexpr int roof_count = 2;
extern const Roof roofs[roof_count];

}  // namespace tw::metal
