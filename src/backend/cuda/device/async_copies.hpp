// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// Copies of host operands that overlap kernels: two streams, events and a page-locked buffer for each thread.
extern const AsyncCopies async_copies;

}  // namespace tw::cuda
