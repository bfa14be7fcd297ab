// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a kernel may be called, wherever a name is taken: TW_KERNEL, Options::kernel, --rung, tuning stores, reports.
#pragma once

#include <string_view>

#include "backend/contract.hpp"

namespace tw {

/// What the kernel's table, card and chart group it by: its rung's name, "r1_naive", or "few_rows" beside the ladder.
const char* stem_of(const Kernel& kernel) noexcept;

/// The names of its rung in the seeds: "coalescing, ..."; "" when it has none.
const char* seed_names_of(const Kernel& kernel) noexcept;

/// The second word of its name, which is also the name of its file: "r10_split_int8" of "cpu.r10_split_int8.f32.amx".
std::string_view file_of(const Kernel& kernel) noexcept;

/// True when `name` means this kernel: its full name, any prefix of it that ends at a dot, the same without the
/// backend's name, its rung's name or number ("r7"), a name that the seeds use for its rung, or one that an earlier
/// version used for the kernel.
bool answers_to(const Kernel& kernel, std::string_view name) noexcept;

/// True when this is its full name, now or in an earlier version.
bool is_called(const Kernel& kernel, std::string_view name) noexcept;

/// The kernel with this full name, now or in an earlier version; null when this build has none.
const Kernel* find_kernel(std::string_view name) noexcept;

}  // namespace tw
