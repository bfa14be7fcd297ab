// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "backend/metal/on_linux/machine/outcome.hpp"

namespace tw::measure {

/// A row of Metal's ladder, executed on one product and counted.
struct Counted {
    std::string kernel{};   ///< "metal-check.r3_tiled.f32 tile 16"
    std::string trouble{};  ///< a sentence when it did not run
    std::int64_t m = 0, n = 0, k = 0;
    metal_check::Counters counts{};

    double flops_per_byte() const {
        return static_cast<double>(counts.flops) /
               static_cast<double>(std::max<std::uint64_t>(counts.device_loaded, 1));
    }
};

}  // namespace tw::measure
