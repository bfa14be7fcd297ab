// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tiles of 192 rows, each type in a file of its own.
#pragma once

#include "backend/cuda/async/job.hpp"

namespace tw::cuda {

/// The job's tile is one that r9_possible allows, and ends_plainly(job).
template <class T>
Status run_tall(const Job& job);

}  // namespace tw::cuda
