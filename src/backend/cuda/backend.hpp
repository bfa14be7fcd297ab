// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The CUDA backend as the core library sees it. Its kernels are in libtilewright_cuda, opened by the first call of
// backend(); a build without a CUDA compiler has door/absent.cpp instead of door/open_library.cpp.
#pragma once

#include "backend/contract.hpp"
#include "backend/links.hpp"
#include "backend/slabs_contract.hpp"
#include "backend/sums_contract.hpp"

namespace tw::cuda {

/// The row: with an empty ladder, no devices and a sentence in absence() when there is nothing to run on.
const Backend& backend() noexcept;

/// True for memory of a CUDA device. Asks the driver only in a process that has opened it already.
bool owns(const void* memory) noexcept;

/// False: no address is a device's now.
bool may_own() noexcept;

/// The allocation that an address of a device's memory is part of; empty when it can't be told.
std::span<const std::byte> allocation(const void* memory) noexcept;

/// How its devices reach each other; null where there is no libtilewright_cuda.
const DeviceLinks* links() noexcept;

/// For the check of products whose operands lie on a device; null where there is no libtilewright_cuda.
const ProductSums* product_sums() noexcept;

/// Products in slabs of k by one kernel; null where there is no libtilewright_cuda.
const SlabProducts* slab_products() noexcept;

}  // namespace tw::cuda
