// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Reads the kernels of a preprocessed Metal source: their names, parameters and attributes, and the function constants.
// Mistakes that clang's front end would ignore (a misspelt attribute, a buffer index used twice) are errors here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

struct Reading {
    Program program;                  ///< only kernels and constants; the rest is added later
    std::string annotated;            ///< the source, made into C++ for OpenCL, with a wrapper for each kernel
    std::vector<std::string> errors;  ///< "file:line: sentence"
};

/// `prelude`: the folder with our own headers, which are not checked.
Reading read_kernels(std::string_view preprocessed, std::string_view file, std::string_view prelude);

}  // namespace tw::metal_check
