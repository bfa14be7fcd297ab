// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// memcpy for megabytes, where it is known whether the copy will be read soon. The C library's can't know.
#pragma once

#include <cstddef>

namespace tw {

/// From uncached memory into a buffer that stays cached: prefetches further ahead than the hardware does.
void copy_reading_ahead(void* to, const void* from, std::size_t bytes) noexcept;

/// Into memory that is not read soon: non-temporal stores, which bypass the caches and do not read what they replace.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace tw
