// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on a Metal device: selection, product and sum are three dispatches of one command, and nothing comes
// back to the host in between.
#pragma once

#include <string_view>

#include "effort/dials.hpp"

namespace tw::effort {

/// Whoever runs Metal kernels: the GPU of a Mac, or the machine that executes them on the CPU.
struct MetalDevice;

/// By the name of its backend, "metal" or "metal-check"; null for another name.
const MetalDevice* metal_device(std::string_view name) noexcept;

/// One product after the other. The choice is the CPU's, to the bit; a dense copy is not read.
Status run_on_metal(const MetalDevice& device, const Dials& dials) noexcept;

}  // namespace tw::effort
