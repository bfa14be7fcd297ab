// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The row of a CUDA backend that can't be had: no devices, and why.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

constexpr Backend no_backend(const char* (*absence)()) noexcept {
    return {.name = "cuda",
            .place = Place::cuda,
            .ladder = {},
            .feature_names = {},
            .features = []() -> Features { return 0; },
            .devices = [] { return 0; },
            .absence = absence};
}

}  // namespace tw::cuda
