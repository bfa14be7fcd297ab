// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/loaders/loaders.hpp"

namespace tw::measure {

/// bench_loaders() on a CUDA device: half of the rows load from device memory, the others from L2.
LoadersRun bench_cuda_loaders(const Backend& backend, const Watch& watch);

}  // namespace tw::measure
