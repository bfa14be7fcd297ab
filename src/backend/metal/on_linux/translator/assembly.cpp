// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/assembly.hpp"

#include <algorithm>

#include "backend/metal/on_linux/translator/module_table.hpp"
#include "backend/metal/on_linux/translator/source_lines.hpp"

namespace tw::metal_check {
namespace {

constexpr const char* gap = "256";  // guard bytes between two threadgroup arrays

bool opens(std::string_view line, std::string_view with) { return line.starts_with(with); }
bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

template <class Take>
void each_line(std::string_view text, Take take) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        take(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    }
}

/// _ZZ<n><kernel>E<m><name>, with the parameters' types before the E when the kernel's name is mangled.
void names_of_local(std::string_view symbol, const Program& program, Variable& variable) {
    for (const KernelText& kernel : program.kernels)
        if (contains(symbol, std::to_string(kernel.name.size()) + kernel.name)) variable.kernel = kernel.name;
    std::size_t at = symbol.size();
    while ((at = symbol.rfind('E', at - 1)) != std::string_view::npos && at > 0) {
        std::size_t digits = at + 1, length = 0;
        while (digits < symbol.size() && symbol[digits] >= '0' && symbol[digits] <= '9')
            length = length * 10 + static_cast<std::size_t>(symbol[digits++] - '0');
        if (length > 0 && digits + length <= symbol.size()) {
            variable.name = symbol.substr(digits, length);
            return;
        }
    }
    variable.name = symbol;
}

unsigned granule_of_type(std::string_view type) {
    if (contains(type, "i8")) return 1;
    return contains(type, "half") || contains(type, "i16") || contains(type, "%") ? 2 : 4;
}

/// The position of the closing parenthesis that matches the opening one at `open`.
std::size_t closing(std::string_view line, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < line.size(); ++i) {
        if (line[i] == '(') ++depth;
        if (line[i] == ')' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

/// Finds a call into the machine: "msl.", "__tsan_" or "air.". All take a source line as their last argument.
std::size_t machine_call(std::string_view line) {
    for (const std::string_view name : {"@msl.", "@__tsan_", "@air.", "@memcpy(", "@memset(", "@memmove("}) {
        const std::size_t at = line.find(name);
        if (at != std::string_view::npos && !opens(line.substr(at), "@msl.call.")) return at;
    }
    return std::string_view::npos;
}

std::string with_site(std::string_view line, std::size_t name, const std::string& site) {
    const std::size_t open = line.find('(', name), close = closing(line, open);
    if (close == std::string_view::npos) return std::string(line);
    std::string text(line.substr(0, close));
    if (line[open + 1] != ')') text += ", ";
    text += site;
    text += line.substr(close);
    replace_all(text, "@__tsan_", "@msl.");
    for (const char* plain : {"@memcpy(", "@memset(", "@memmove("})
        replace_all(text, plain, std::string("@msl.") + (plain + 1));
    return text;
}

unsigned width_of(std::string_view operation) {
    const std::size_t open = operation.find('<');
    if (open == std::string_view::npos) return 1;
    unsigned width = 0;
    for (std::size_t i = open + 1; i < operation.size() && operation[i] >= '0' && operation[i] <= '9'; ++i)
        width = width * 10 + static_cast<unsigned>(operation[i] - '0');
    return std::max(width, 1u);
}

/// Floating-point operations of one line: a fused multiply-add counts as two.
unsigned flops_of(std::string_view line) {
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) return 0;
    const std::string_view operation = line.substr(equals + 3, line.find(", !dbg") - equals - 3);
    for (const char* name : {"fadd ", "fsub ", "fmul ", "fdiv ", "frem "})
        if (opens(operation, name)) return width_of(operation);
    if (contains(operation, "@llvm.fmuladd.") || contains(operation, "@llvm.fma."))
        return 2 * width_of(operation.substr(0, operation.find('@')));
    return 0;
}

bool ends_block(std::string_view line) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == 0 || first == std::string_view::npos) return false;
    const std::string_view word = line.substr(first);
    return opens(word, "br ") || opens(word, "ret ") || opens(word, "switch ") || opens(word, "unreachable");
}

/// "@x = external dso_local constant i32, align 4" of a function constant: its name in the source and its type.
bool is_constant_of(std::string_view line, const FunctionConstant& constant, std::string& symbol, std::string& layout) {
    const std::size_t equals = line.find(" = external "), kind = line.find(" constant ");
    if (!opens(line, "@") || equals == std::string_view::npos || kind == std::string_view::npos) return false;
    symbol = line.substr(0, equals);
    layout = line.substr(kind + 10, line.find(',', kind) - kind - 10);
    const std::string mangled = std::to_string(constant.name.size()) + constant.name;
    return symbol == '@' + constant.name || contains(symbol, mangled);
}

}  // namespace

std::string set_memory_apart(std::string_view assembly, Program& program) {
    std::string out;
    out.reserve(assembly.size() + 4096);
    each_line(assembly, [&](std::string_view line) {
        const std::size_t local = line.find(" = internal global ");
        if (opens(line, "@_ZZ") && local != std::string_view::npos) {
            Variable variable;
            variable.symbol = line.substr(0, local);
            const std::size_t from = local + 19, end = line.find(" undef", from);
            variable.layout = line.substr(from, (end == std::string_view::npos ? line.rfind(", align") : end) - from);
            variable.granule = granule_of_type(variable.layout);
            names_of_local(variable.symbol, program, variable);
            out +=
                variable.symbol + " = hidden thread_local global " + variable.layout + " zeroinitializer, align 16\n";
            out += variable.symbol + ".gap = hidden thread_local global [" + gap + " x i8] zeroinitializer, align 16\n";
            program.variables.push_back(variable);
            return;
        }
        for (FunctionConstant& constant : program.constants) {
            std::string symbol, layout;
            if (!is_constant_of(line, constant, symbol, layout)) continue;
            constant.symbol = symbol;
            constant.layout = layout;
            out += symbol + " = hidden global " + layout + " zeroinitializer, align 16\n";
            return;
        }
        out += line;
        out += '\n';
    });
    return out;
}

std::string finish_module(std::string_view assembly, Program& program, const std::string& symbol, bool counted,
                          std::string_view prelude) {
    SourceLines lines(assembly, prelude);
    std::string out;
    out.reserve(assembly.size() * 2);
    unsigned flops = 0;
    each_line(assembly, [&](std::string_view line) {
        if (opens(line, "@llvm.global_ctors") || opens(line, "@llvm.used") || opens(line, "$")) return;
        if (ends_block(line) && flops > 0) {
            out += "  call void @msl.flops(i32 " + std::to_string(flops) + ")\n";
            flops = 0;
        }
        if (counted && !lines.is_simd_call(line)) flops += flops_of(line);

        std::string text(line);
        if (const std::size_t name = machine_call(line); name != std::string_view::npos) {
            const bool declares = opens(line, "declare ");
            text = with_site(line, name, declares ? "i32" : "i32 " + std::to_string(lines.site_of(line)));
        }
        if (opens(text, "define ")) {
            for (const char* linkage :
                 {"define linkonce_odr ", "define weak_odr ", "define dso_local ", "define hidden ", "define "})
                if (opens(text, linkage)) {
                    text = "define internal " + text.substr(std::string_view(linkage).size());
                    break;
                }
            for (const char* word : {"internal internal ", "internal dso_local ", "internal hidden "})
                if (opens(std::string_view(text).substr(7), word))
                    text = "define internal " + text.substr(7 + std::string_view(word).size());
            replace_all(text, " comdat ", " ");
        }
        if (opens(text, "@_ZZ") || contains(text, " = hidden ")) replace_all(text, " = hidden ", " = internal ");
        if (opens(text, "@")) replace_all(text, " = linkonce_odr ", " = internal "), replace_all(text, ", comdat", "");
        out += text;
        out += '\n';
    });
    if (counted) out += "declare void @msl.flops(i32)\n";
    program.sites = lines.sites();
    return out +
           module_table(program, symbol,
                        !contains(assembly, "i8*") && !contains(assembly, "i64*") && !contains(assembly, "float*"));
}

}  // namespace tw::metal_check
