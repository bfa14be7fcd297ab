// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Finds, in clang's syntax tree, what C++ for OpenCL accepts but Apple's compiler does not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

/// `tree`: the output of -ast-dump=json for the preprocessed `source`. Code from the prelude's folder is not checked.
/// Returns "file:line: sentence" for each finding.
std::vector<std::string> foreign_constructs(std::string_view tree, std::string_view source, std::string_view prelude);

}  // namespace tw::metal_check
