// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The description of a .metal file: its kernels and their parameters, its threadgroup arrays, and the source line of
// every checked access. The object file contains it as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

enum class Binding { buffer, threadgroup, built_in };

/// A parameter of a kernel.
struct Parameter {
    Binding binding = Binding::buffer;
    unsigned index = 0;      ///< of the buffer, of the threadgroup memory, or of the built-in value
    unsigned granule = 4;    ///< bytes of its smallest scalar, the unit in which races are detected
    bool read_only = false;  ///< device const or constant
    bool constant = false;   ///< in the constant address space: not counted as device memory
    std::string type, name;  ///< as written, without attributes
};

struct KernelText {
    std::string name;
    std::vector<Parameter> parameters;
};

struct FunctionConstant {
    std::string name, type;
    unsigned index = 0;
    std::string symbol, layout;  ///< its name and type in LLVM's assembly; not kept
};

/// An array declared in threadgroup memory by a kernel.
struct Variable {
    std::string kernel, name;
    unsigned granule = 4;
    std::string symbol, layout;  ///< its name and type in LLVM's assembly; not kept
};

struct Program {
    std::vector<KernelText> kernels;
    std::vector<FunctionConstant> constants;
    std::vector<Variable> variables;
    std::vector<std::string>
        sites;  ///< "r3_tiled.metal:45", by the number that a checked access carries; [0] is unknown
};

std::string write_program(const Program& program);
Program read_program(std::string_view text);

/// The values that a kernel can get by an attribute, in the machine's order.
inline constexpr const char* built_ins[] = {
    "thread_position_in_grid",
    "threadgroup_position_in_grid",
    "thread_position_in_threadgroup",
    "threads_per_threadgroup",
    "threads_per_grid",
    "threadgroups_per_grid",
    "simdgroup_index_in_threadgroup",
    "thread_index_in_simdgroup",
    "thread_index_in_threadgroup",
    "simdgroups_per_threadgroup",
    "threads_per_simdgroup",
    "dispatch_threads_per_threadgroup",
};

}  // namespace tw::metal_check
