// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/module_table.hpp"

#include <algorithm>
#include <cstdio>

namespace tw::metal_check {
namespace {

std::string quoted(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
            out += c;
            continue;
        }
        char code[4];
        std::snprintf(code, sizeof code, "\\%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
        out += code;
    }
    return out;
}

std::string array_of(std::size_t count, const char* element) {
    return '[' + std::to_string(count) + " x " + element + ']';
}

}  // namespace

std::string module_table(const Program& program, const std::string& symbol, bool opaque_pointers) {
    const auto pointer = [&](const std::string& type) { return opaque_pointers ? "ptr" : type + '*'; };
    const auto address = [&](const std::string& type, const std::string& name) {
        return "i64 ptrtoint (" + pointer(type) + ' ' + name + " to i64)";
    };
    const std::string description = write_program(program), text_type = array_of(description.size() + 1, "i8");

    std::string entries;
    for (const KernelText& kernel : program.kernels)
        entries += (entries.empty() ? "" : ", ") + address("void (i64, i64)", "@msl.call." + kernel.name);
    if (entries.empty()) entries = "i64 0";
    const std::string entries_type = array_of(std::max<std::size_t>(program.kernels.size(), 1), "i64");

    std::string stores;
    unsigned slot = 0;
    const auto store = [&](const std::string& value) {
        const std::string number = std::to_string(slot++), place = "%place" + number;
        stores += "  " + place + " = getelementptr i64, " + pointer("i64") + " %out, i64 " + number + "\n  store " +
                  value + ", " + pointer("i64") + ' ' + place + '\n';
    };
    const auto store_variable = [&](const std::string& type, const std::string& name) {
        store(address(type, name));
        store("i64 ptrtoint (" + pointer(type) + " getelementptr (" + type + ", " + pointer(type) +
              " null, i32 1) to i64)");
    };
    for (const Variable& variable : program.variables) store_variable(variable.layout, variable.symbol);
    for (const FunctionConstant& constant : program.constants) {
        if (constant.symbol.empty()) store("i64 0"), store("i64 0");  // declared and never used
        else store_variable(constant.layout, constant.symbol);
    }
    return "\n@msl.text = internal constant " + text_type + " c\"" + quoted(description) +
           "\\00\"\n@msl.entries = internal constant " + entries_type + " [" + entries +
           "]\ndefine internal void @msl.addresses(" + pointer("i64") + " %out) {\n" + stores + "  ret void\n}\n@" +
           symbol + " = constant [3 x i64] [" + address(text_type, "@msl.text") + ", " +
           address("void (" + pointer("i64") + ")", "@msl.addresses") + ", " + address(entries_type, "@msl.entries") +
           "]\n";
}

}  // namespace tw::metal_check
