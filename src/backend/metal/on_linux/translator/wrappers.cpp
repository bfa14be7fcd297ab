// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/wrappers.hpp"

#include <iterator>

namespace tw::metal_check {
namespace {

std::string argument(const Parameter& p) {
    const std::string i = std::to_string(p.index);
    if (p.binding == Binding::built_in) {
        const int count = p.type.back() == '2' ? 2 : p.type.back() == '3' ? 3 : 1;
        const std::string value = "t->v[" + i + "]";
        const std::string scalar = p.type.substr(0, p.type.find_first_of("23"));
        if (count == 1) return scalar + "(" + value + "[0])";
        std::string text = "(" + p.type + "){";
        for (int c = 0; c < count; ++c) text += (c ? ", " : "") + scalar + "(" + value + "[" + std::to_string(c) + "])";
        return text + "}";
    }
    const std::string place =
        p.binding == Binding::buffer ? "a->buffer[" + i + "]" : "a->threadgroup_memory[" + i + "]";
    if (p.type.ends_with('&')) return "*reinterpret_cast<" + p.type.substr(0, p.type.size() - 1) + "*>(" + place + ")";
    return "reinterpret_cast<" + p.type + ">(" + place + ")";
}

}  // namespace

std::string wrappers(const std::vector<KernelText>& kernels) {
    std::string text = "\n# 1 \"<wrappers>\"\nstruct __msl_ids { uint v[" + std::to_string(std::size(built_ins)) +
                       "][3]; };\nstruct __msl_arguments { ulong buffer[31]; ulong threadgroup_memory[8]; };\n";
    for (const KernelText& kernel : kernels) {
        std::string arguments;
        for (const Parameter& p : kernel.parameters) arguments += (arguments.empty() ? "" : ", ") + argument(p);
        const std::string head =
            "__attribute__((no_sanitize(\"thread\"))) void __msl_call_" + kernel.name + "(ulong arguments, ulong ids)";
        text += head + " __asm(\"msl.call." + kernel.name + "\");\n" + head +
                " {\n  auto a = reinterpret_cast<const __global __msl_arguments*>(arguments);\n"
                "  auto t = reinterpret_cast<const __global __msl_ids*>(ids);\n  (void)a; (void)t;\n  " +
                kernel.name + "(" + arguments + ");\n}\n";
    }
    return text;
}

}  // namespace tw::metal_check
