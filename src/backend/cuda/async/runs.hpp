// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r9's tiles by kind and type, each compiled in a file of its own. The job's tile is one that r9_possible allows.
#pragma once

#include "backend/cuda/async/job.hpp"

namespace tw::cuda {

template <class T>
Status run_wide(const Job& job);
template <class T>
Status run_level(const Job& job);
template <class T>
Status run_thin(const Job& job);

}  // namespace tw::cuda
