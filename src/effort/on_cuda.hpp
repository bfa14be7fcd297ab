// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on a CUDA device: weights are laid out in its memory once, products are enqueued there.
#pragma once

#include <span>
#include <string_view>

#include "effort/body.hpp"

namespace tw::effort {

/// "cuda" or "cuda:N".
bool names_cuda(std::string_view device) noexcept;

/// Vectors and results in the memory of a CUDA device: the host may not look at them.
bool is_on_cuda(const void* memory) noexcept;

struct CudaDials {
    const EffortBody& body;
    std::span<const int> chosen;       ///< experts; empty: the first does all
    View<const float> v;               ///< one row for all, or a row for each of y
    View<float> y;
    Budget budget;
    const EffortOptions& options;
    std::span<EffortReport> reports;
    bool densely = false;              ///< a batch: by the dense copy, if one is kept
};

/// Where v or y is the host's the call waits; where both are the device's it enqueues, and a report has what is known before.
Status run_on_cuda(const CudaDials& dials) noexcept;

/// Lays the matrix out in the device's memory, unless it is there.
Status place_on_cuda(const EffortBody& body, std::string_view device) noexcept;

}  // namespace tw::effort
