// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The TW_* variables. Ignored in set-user-id programs; garbage is clamped or ignored with one warning on TW_LOG.
#pragma once

namespace tw {

/// The variable's text, or null when it is unset, empty, or not to be trusted.
const char* environment(const char* name) noexcept;

/// A whole number in [least, most]; `absent` when unset. Garbage is `absent`, what lies outside is clamped.
int environment_number(const char* name, int least, int most, int absent) noexcept;

/// True when a comma-separated list names the word.
bool list_names(const char* list, const char* word) noexcept;

}  // namespace tw
