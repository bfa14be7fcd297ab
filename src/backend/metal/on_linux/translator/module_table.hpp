// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The only public symbol of a translated module, in LLVM's textual assembly: a table of three addresses.
#pragma once

#include <cstdint>
#include <string>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

/// The table for the machine. `addresses` writes the address and size of each variable, then of each function constant,
/// in the program's order, for the calling thread.
struct Module {
    const char* text;  ///< from write_program()
    void (*addresses)(std::uint64_t* out);
    void (*const* entries)(std::uint64_t arguments, std::uint64_t ids);  ///< in the order of the program's kernels
};

std::string module_table(const Program& program, const std::string& symbol, bool opaque_pointers);

}  // namespace tw::metal_check
