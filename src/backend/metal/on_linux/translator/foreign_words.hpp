// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

/// What the unpreprocessed text may not contain: words that clang would take and Apple's compiler would not.
std::vector<std::string> foreign_words(std::string_view source, std::string_view file);

}  // namespace tw::metal_check
