// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/effort_contract.hpp"

namespace tw::cuda {

extern const EffortDevice effort_device;

}  // namespace tw::cuda
