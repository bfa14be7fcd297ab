// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the device has, and what its kernels may count on.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

namespace feature {
inline constexpr Features sm80 = 1;   ///< asynchronous copies, mma.sync for bf16 and tf32: Ampere and later
inline constexpr Features sm90a = 2;  ///< wgmma, bulk tensor copies, clusters: Hopper, and Hopper alone
}  // namespace feature

/// Of the calling thread's current device, less what TW_FEATURES masks.
Features features() noexcept;

int device_count() noexcept;
const char* absence() noexcept;

/// Multiprocessors of the current device; 1 when it can't be asked.
int multiprocessors() noexcept;

/// The same for costs, which every choice asks for: of whichever device was current when it was first asked.
int multiprocessors_for_costs() noexcept;

/// A launch costs about this much, however little it does.
inline constexpr double launch_nanoseconds = 4000;

/// How many tiles cover an extent.
inline std::int64_t tiles_over(std::int64_t extent, int tile) noexcept { return (extent + tile - 1) / tile; }

Status select(int device) noexcept;
bool owns_memory(const void* memory) noexcept;
void* allocate(std::size_t bytes) noexcept;
void release(void* memory) noexcept;

/// What kept_scratch() could give: what is free and what it keeps, less a reserve, and no more than TW_DEVICE_MEMORY,
/// in MiB.
std::size_t scratch_available(void* stream) noexcept;
Status wait(void* stream) noexcept;
bool captures(void* stream) noexcept;

/// Any steps, types and places: rows by the copy engine where they lie alike, elements by a kernel otherwise.
Status copy(const Matrix& to, const Matrix& from, void* stream) noexcept;

/// C = epilogue(beta * C) where C lies on the device. Of a real C beta is real.
Status finish(const Matrix& c, double beta, double beta_imag, const Epilogue& epilogue, void* stream) noexcept;

}  // namespace tw::cuda
