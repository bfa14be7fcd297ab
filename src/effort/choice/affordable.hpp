// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a budget comes to for a matrix, in bytes, and in the smaller numbers that devices count by.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

struct Affordable {
    std::int64_t bytes;  ///< that may be read; of a budget of error all of them
    bool everything;     ///< is read, whatever it is worth
};

Affordable affordable(const EffortBody& body, Budget budget) noexcept;

/// Bytes of an input's units over their common divisor.
struct UnitWeights {
    std::int64_t common = 0;
    std::uint32_t of_unit[32] = {};

    explicit UnitWeights(const EffortBody& body) noexcept;

    /// Rows at the cutoff or above it weigh at least the first, and those that are taken at most the second.
    std::uint32_t reached(std::int64_t bytes) const noexcept {
        return static_cast<std::uint32_t>((bytes + common - 1) / common);
    }
    std::uint32_t within(std::int64_t bytes) const noexcept { return static_cast<std::uint32_t>(bytes / common); }
};

}  // namespace tw::effort
