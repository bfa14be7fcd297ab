// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Variables of the environment, which count for nothing in a program that runs with more rights than its caller.
#pragma once

namespace tw {

/// True in a set-user-id or set-group-id program and in one raised by capabilities: whoever started it chooses its
/// environment, its arguments and its working directory, and must not choose its code by them.
bool is_privileged() noexcept;

/// The variable's text; null when it is unset or empty, and always in a privileged program.
const char* environment(const char* name) noexcept;

/// A whole number in [least, most]; `absent` when unset. Garbage is `absent`, what lies outside is clamped.
int environment_number(const char* name, int least, int most, int absent) noexcept;

/// True when a comma-separated list names the word.
bool list_names(const char* list, const char* word) noexcept;

}  // namespace tw
