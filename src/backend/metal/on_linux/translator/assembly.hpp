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

/// Before optimisation: threadgroup arrays become thread-local variables of their own, with a gap after each, that the
/// optimiser must believe others write; function constants become variables that the host sets. Both are noted.
std::string set_memory_apart(std::string_view assembly, Program& program);

/// After optimisation: every call into the machine gets the number of the source line that it stands for,
/// floating-point work is counted where `counted`, all names become private, and one table `symbol` describes the
/// module.
std::string finish_module(std::string_view assembly, Program& program, const std::string& symbol, bool counted,
                          std::string_view prelude);

}  // namespace tw::metal_check
