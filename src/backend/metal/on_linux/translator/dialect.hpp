// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What clang's C++ for OpenCL accepts and Apple's compiler does not, found in clang's syntax tree.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

/// `tree` is what -ast-dump=json wrote of the preprocessed `source`; code from the prelude's folder is not judged.
/// "file:line: sentence" for each finding.
std::vector<std::string> foreign_constructs(std::string_view tree, std::string_view source, std::string_view prelude);

}  // namespace tw::metal_check
