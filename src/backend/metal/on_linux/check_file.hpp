// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Translates any .metal file with this machine's clang, opens the result and executes its kernels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/metal/on_linux/door.hpp"
#include "backend/metal/on_linux/translator/module_table.hpp"

namespace tw::metal_check {

struct OpenedFile {
    const Module* module = nullptr;  ///< null: see refusals
    std::vector<std::string> refusals;
    std::string clang;
};

/// The module stays open until the process ends.
OpenedFile open_file(const std::string& path, const std::vector<std::string>& flags, bool checked);

void check_file(const FileRequest& request, FileOutcome& outcome);

struct PreludeFile {
    const char *name, *text;
};
extern const PreludeFile prelude_files[];  // in a file that the build writes; ends with a null name

}  // namespace tw::metal_check
