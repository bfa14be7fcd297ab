// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Reads the kernels of a preprocessed Metal source: their names, parameters and attributes, and the function constants.
// What clang's front end would ignore (an attribute misspelt, a buffer index used twice) is an error here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

struct Reading {
    Program program;                  ///< kernels and constants; the rest is found later
    std::string annotated;            ///< the source, made into C++ for OpenCL, with a wrapper for each kernel
    std::vector<std::string> errors;  ///< "file:line: sentence"
};

/// `prelude` is the folder whose files are ours and not to be judged.
Reading read_kernels(std::string_view preprocessed, std::string_view file, std::string_view prelude);

}  // namespace tw::metal_check
