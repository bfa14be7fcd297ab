// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// memcpy for megabytes whose use is known: the library's cannot tell what will be read again soon.
#pragma once

#include <cstddef>

namespace tw {

/// From memory that no cache holds into some that stays in one: reads ahead further than the hardware does by itself.
void copy_reading_ahead(void* to, const void* from, std::size_t bytes) noexcept;

/// Into memory that nobody reads soon: past the caches, without reading what is overwritten.
void copy_past_caches(void* to, const void* from, std::size_t bytes) noexcept;

}  // namespace tw
