// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a budget comes to for a matrix, in bytes.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

struct Affordable {
    std::int64_t bytes;  ///< that may be read; of a budget of error all of them
    bool everything;     ///< is read, whatever it is worth
};

Affordable affordable(const EffortBody& body, Budget budget) noexcept;

}  // namespace tw::effort
