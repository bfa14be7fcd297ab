// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/draft.hpp"

namespace tw::cuda {

bool has_kernels() noexcept {
#ifdef TW_CUDA_DRAFT
    return false;
#else
    return true;
#endif
}

}  // namespace tw::cuda
