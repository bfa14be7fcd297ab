// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A draft of libtilewright_cuda (TW_CUDA_DRAFT) is compiled quickly, for machines without a device: it has all rows,
// but of Hopper's own files only what the host does.
#pragma once

namespace tw::cuda {

/// False in a draft: a Hopper device is given what runs on every device then.
bool has_hopper_kernels() noexcept;

inline constexpr const char* left_out_entry_name = "tilewright_cuda_left_out";
using LeftOutEntry = const char*(unsigned long long stamp) noexcept;

}  // namespace tw::cuda
