// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What others wrote, as it may be shown on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tw::cli {

/// Bytes of a file: in quotes, everything but printable ASCII spelled out, cut when long.
std::string quoted(std::string_view bytes);

/// A path: in quotes, control characters spelled out, never cut.
std::string quoted_path(std::string_view path);

}  // namespace tw::cli
