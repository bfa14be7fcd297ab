// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a kernel may be called, wherever a name is taken: TW_KERNEL, Options::kernel, --rung, tuning stores, reports.
#pragma once

#include <string_view>

#include "backend/contract.hpp"

namespace tw {

/// What tables and charts group the kernel by: its rung's name, "r1_naive", or "few_rows" beside the ladder.
const char* stem_of(const Kernel& kernel) noexcept;

/// The names of its rung in the seeds: "coalescing, ..."; "" when it has none.
const char* seed_names_of(const Kernel& kernel) noexcept;

/// The second word of its name, which is also its file's name: "r10_split_int8" in "cpu.r10_split_int8.f32.amx".
std::string_view file_of(const Kernel& kernel) noexcept;

/// True when `name` means this kernel. It may be: the full name or a prefix that ends at a dot, with or without the
/// backend; its rung's name or number ("r7"); the seeds' name for the rung; a name from an earlier version.
bool answers_to(const Kernel& kernel, std::string_view name) noexcept;

/// True when this is its full name, now or in an earlier version.
bool is_called(const Kernel& kernel, std::string_view name) noexcept;

/// The kernel with this full name, now or in an earlier version; null when this build has none.
const Kernel* find_kernel(std::string_view name) noexcept;

}  // namespace tw
