// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/sums_contract.hpp"

namespace tw::cuda {

inline constexpr const char* sums_entry_name = "tilewright_cuda_sums";
using SumsEntry = const ProductSums*(unsigned long long stamp) noexcept;

}  // namespace tw::cuda
