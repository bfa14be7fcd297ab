// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/async/tall.cuh"

namespace tw::cuda {

template Status run_tall<__nv_bfloat16>(const Job& job);

}  // namespace tw::cuda
