// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A budget as bytes of a matrix.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

struct Affordable {
    std::int64_t bytes;  ///< that may be read; all of them for a budget of error
    bool everything;     ///< read all, whatever it is worth
};

Affordable affordable(const EffortBody& body, Budget budget) noexcept;

}  // namespace tw::effort
