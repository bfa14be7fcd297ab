// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Makes text from files and paths safe to show on a terminal.
#pragma once

#include <string>
#include <string_view>

namespace tw::cli {

/// Bytes of a file: in quotes, shortened, with everything but printable ASCII escaped.
std::string quoted(std::string_view bytes);

/// A path: in quotes, never shortened, with control characters escaped.
std::string quoted_path(std::string_view path);

}  // namespace tw::cli
