// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Translates a .metal file to an object file for this processor: by clang's front end for C++ for OpenCL, and edits of
// the source and of LLVM's assembly.
#pragma once

#include <string>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

struct Clang {
    std::string path;  ///< empty: not found
    int version = 0;
};

/// TW_METAL_CLANG if it is set, else the newest of clang-14 to clang-19, else `clang` when it is one of those.
Clang find_clang();

struct TranslationRequest {
    std::string source;   ///< the .metal file
    std::string prelude;  ///< the folder with metal_stdlib
    std::string symbol;   ///< the name of the module's table
    std::string object;   ///< the file to write; with `shared`, a shared object
    bool checked = true;  ///< every load and store calls the machine
    bool shared = false;
    std::string link_with;           ///< the library that defines the machine, for a shared object
    std::vector<std::string> flags;  ///< -D and -I
};

struct Translation {
    std::vector<std::string> errors;  ///< empty: the object was written
    Program program;
};

Translation translate(const Clang& clang, const TranslationRequest& request);

}  // namespace tw::metal_check
