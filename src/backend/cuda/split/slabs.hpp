// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/slabs_contract.hpp"

namespace tw::cuda {

inline constexpr const char* slabs_entry_name = "tilewright_cuda_slabs";
using SlabsEntry = const SlabProducts*(unsigned long long stamp) noexcept;

}  // namespace tw::cuda
