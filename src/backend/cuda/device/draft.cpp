// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cuda/device/draft.hpp"

#include "backend/cuda/device/entry.hpp"

namespace tw::cuda {
namespace {

#ifdef TW_CUDA_DRAFT
constexpr bool is_draft = true;
#else
constexpr bool is_draft = false;
#endif

}  // namespace

bool has_hopper_kernels() noexcept { return !is_draft; }

}  // namespace tw::cuda

extern "C" TW_API const char* tilewright_cuda_left_out(unsigned long long stamp) noexcept {
    if (!tw::cuda::is_draft || stamp != tw::cuda::contract_stamp) return "";
    return "built with TW_CUDA_DRAFT: Hopper's own kernels were left out, and the others are slow";
}
