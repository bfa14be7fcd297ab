// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One dispatch of one kernel on the machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/metal/on_linux/machine/core.hpp"
#include "backend/metal/on_linux/machine/outcome.hpp"
#include "backend/metal/on_linux/translator/module_table.hpp"

namespace tw::metal_check {

struct Bound {
    void* data = nullptr;
    std::size_t bytes = 0;
};

struct ConstantValue {
    unsigned index = 0;
    std::uint64_t bits = 0;  ///< the value's bytes, lowest first
};

struct Request {
    const Module* module = nullptr;
    std::string_view kernel;
    std::span<const Bound> buffers;  ///< by index; null: not bound
    std::span<const std::size_t> threadgroup_bytes;
    std::span<const ConstantValue> constants;
    Dim grid, threads;    ///< threads in all and in a threadgroup
    bool checked = true;  ///< must match the module's translation
    unsigned seed = 0;    ///< 0: threads begin in order; others shuffle them
    int cores = 0;        ///< 0: as many as this process may use
};

Outcome execute(const Request& request);

/// The module's description, read once.
const Program& program_of(const Module& module);

}  // namespace tw::metal_check
