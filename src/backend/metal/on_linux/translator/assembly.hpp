// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Edits of LLVM's textual assembly between the front end and the code generator (LLVM 14 to 19, typed and opaque
// pointers).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"

namespace tw::metal_check {

/// Before optimisation: turns threadgroup arrays into thread-local variables, with a gap after each, that the optimiser
/// must assume others write, and function constants into variables that the host sets. Stores both in `program`.
std::string set_memory_apart(std::string_view assembly, Program& program);

/// After optimisation: gives every call into the machine its source line's number, counts floating-point operations if
/// `counted`, makes all names private, and adds one table `symbol` that describes the module.
std::string finish_module(std::string_view assembly, Program& program, const std::string& symbol, bool counted,
                          std::string_view prelude);

}  // namespace tw::metal_check
