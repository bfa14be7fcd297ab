// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

/// Finds words in the unpreprocessed text that clang accepts but Apple's compiler does not.
std::vector<std::string> foreign_words(std::string_view source, std::string_view file);

}  // namespace tw::metal_check
