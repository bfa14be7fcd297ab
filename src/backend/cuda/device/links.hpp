// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cuda_runtime_api.h>

#include "backend/links.hpp"

namespace tw::cuda {

/// The calls that only links make: beside struct Calls, which every kernel's launcher includes.
struct LinkCalls {
    cudaError_t (*can_reach)(int*, int, int);
    cudaError_t (*reach)(int, unsigned);
};

/// Null puts the runtime's own back.
void replace_link_calls(const LinkCalls* table) noexcept;

extern const DeviceLinks device_links;

}  // namespace tw::cuda
