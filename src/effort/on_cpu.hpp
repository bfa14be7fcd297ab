// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial on the CPU: choose what is read of each vector, then tiles of outputs, each by one thread from its
// first entry to its last. Nothing is added across threads, so the bits don't depend on how many there are.
#pragma once

#include "effort/dials.hpp"

namespace tw::effort {

Status run_on_cpu(const Dials& dials) noexcept;

}  // namespace tw::effort
