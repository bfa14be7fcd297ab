// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A draft of libtilewright_cuda (TW_CUDA_DRAFT) is compiled quickly, for machines without a device: it has all rows,
// and what chooses and launches, but no kernels.
#pragma once

namespace tw::cuda {

/// False in a draft: it finds no devices.
bool has_kernels() noexcept;

}  // namespace tw::cuda
