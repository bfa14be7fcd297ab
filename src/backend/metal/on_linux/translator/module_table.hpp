// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The one public symbol of a translated module, in LLVM's textual assembly: three addresses that say all about it.
#pragma once

#include <cstdint>
#include <string>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

/// As the machine sees it. `addresses` writes address and size of each variable, then of each function constant, in
/// the program's order, for the thread that calls it.
struct Module {
    const char* text;  ///< what write_program() wrote
    void (*addresses)(std::uint64_t* out);
    void (*const* entries)(std::uint64_t arguments, std::uint64_t ids);  ///< in the order of the program's kernels
};

std::string module_table(const Program& program, const std::string& symbol, bool opaque_pointers);

}  // namespace tw::metal_check
