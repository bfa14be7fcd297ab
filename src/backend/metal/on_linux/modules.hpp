// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ladder's kernels, translated by the build twice: with every access checked, and plain.
#pragma once

#include <span>
#include <string_view>

#include "backend/metal/on_linux/translator/module_table.hpp"

namespace tw::metal_check {

struct Family {
    std::string_view name;  ///< of the .metal file
    const Module *checked, *plain;
};

std::span<const Family> families() noexcept;  // in a file that the build writes
const Family* find_family(std::string_view name) noexcept;

}  // namespace tw::metal_check
