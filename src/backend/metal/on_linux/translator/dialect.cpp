// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/dialect.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "backend/metal/on_linux/translator/syntax_tree.hpp"

namespace tw::metal_check {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string quote(std::string_view word) { return std::string(1, '\'').append(word).append(1, '\''); }

/// Maps a line of the preprocessed source to the original file and line, by its line markers.
class Lines {
public:
    explicit Lines(std::string_view source) {
        std::string file = "?";
        int line = 0;
        for (std::size_t at = 0; at < source.size();) {
            const std::size_t end = std::min(source.find('\n', at), source.size());
            const std::string_view text = source.substr(at, end - at);
            const std::size_t open = text.find('"'), close = text.rfind('"');
            ++line;
            if (text.starts_with("# ") && open != close) {
                file = text.substr(open + 1, close - open - 1);
                line = std::atoi(std::string(text.substr(2, open - 2)).c_str()) - 1;
            }
            all_.push_back({file, line});
            at = end + 1;
        }
    }
    const std::pair<std::string, int>& operator[](int physical) const {
        static const std::pair<std::string, int> unknown{"?", 0};
        const auto index = static_cast<std::size_t>(physical - 1);
        return index < all_.size() ? all_[index] : unknown;
    }

private:
    std::vector<std::pair<std::string, int>> all_;
};

class DialectChecker {
public:
    DialectChecker(std::string_view source, std::string_view prelude)
        : source_(source), prelude_(prelude), lines_(source) {}

    std::vector<std::string> run(const Node& root) {
        walk(root, nullptr);
        refuse_recursion();
        return std::move(found_);
    }

private:
    struct Function {
        std::string_view name;
        int line = 0;
        bool ours = false;
        std::set<std::string_view> calls;
    };

    void refuse(int line, const std::string& sentence) {
        const auto& [file, number] = lines_[line];
        const std::string text = file + ':' + std::to_string(number) + ": " + sentence;
        if (std::find(found_.begin(), found_.end(), text) == found_.end()) found_.push_back(text);
    }

    bool is_ours(int line) const {
        const std::string& file = lines_[line].first;
        return !file.starts_with(prelude_) && !file.starts_with('<') && file != "?";
    }

    void walk(const Node& node, Function* function) {
        const bool is_function = node.kind == "FunctionDecl" || node.kind == "CXXMethodDecl" ||
                                 node.kind == "CXXConstructorDecl" || node.kind == "CXXConversionDecl";
        if (is_function) {
            function = &functions_[node.id];
            function->name = node.name;
            function->line = node.line;
            function->ours = is_ours(node.line) && !node.is_implicit;
        }
        if (function && node.kind == "DeclRefExpr" && node.refers_to_kind == "FunctionDecl")
            function->calls.insert(node.refers_to);
        if (node.is_implicit && is_function)
            return;  // the compiler adds functions whose pointers have no address space
        if (!node.is_implicit && is_ours(node.line)) check(node, function != nullptr, is_function);
        for (const Node& child : node.inner) walk(child, function);
    }

    void check(const Node& node, bool in_function, bool is_function) {
        const std::string name(node.name), type(node.type);
        const bool holds = node.kind == "VarDecl" || node.kind == "ParmVarDecl" || node.kind == "FieldDecl";
        // The outer level of a pointer to a pointer needs no address space on Apple's compiler.
        if (holds && contains(type, "__generic") && !qualified_inside(type))
            refuse(node.line, quote(name) +
                                  " is a pointer or reference without an address space: device, constant, threadgroup "
                                  "or thread is needed");
        if (is_function && node.kind != "CXXConstructorDecl" && contains(type.substr(0, type.find('(')), "__generic"))
            refuse(node.line, quote(name) + " returns a pointer or reference without an address space");
        if (node.kind == "VarDecl" && !in_function && !contains(type, "__constant"))
            refuse(node.line,
                   quote(name) + " is a variable of program scope: it must be in the constant address space");
        if (node.kind == "VarDecl" && in_function && node.storage == "static")
            refuse(node.line, quote(name) + " is a static variable in a function, which Metal does not have");
        if (node.kind == "GotoStmt" || node.kind == "IndirectGotoStmt")
            refuse(node.line, "Metal has no goto statement");
        if (node.kind == "LambdaExpr") refuse(node.line, "lambda expressions are not in Metal 3");
        if (node.kind == "CXXRecordDecl" && node.has_bases)
            refuse(node.line, quote(name) + " derives from another class, which Metal 3 does not have");
        if (node.kind == "ExtVectorElementExpr") check_swizzle(node);
        if (node.kind == "MemberExpr" && contains(type, "bound member function")) check_object(node);
    }

    static bool qualified_inside(std::string_view type) {
        for (const char* space : {"__private", "__local", "__global", "__constant"})
            if (const std::size_t at = type.find(space);
                at != std::string_view::npos && type.find("*__generic", at) != std::string_view::npos)
                return true;
        return false;
    }

    void check_swizzle(const Node& node) {
        const std::string_view word = source_.substr(std::min(node.last_token, source_.size()), node.last_token_length);
        const auto made_of = [&](std::string_view letters) {
            return word.find_first_not_of(letters) == std::string_view::npos;
        };
        if (!made_of("xyzw") && !made_of("rgba"))
            refuse(node.line, quote(word) + " is OpenCL's name for components; Metal has xyzw and rgba");
    }

    /// A member function's object is in thread memory unless the function is qualified otherwise.
    void check_object(const Node& member) {
        if (member.inner.empty()) return;
        const Node& object = member.inner[0];
        if (object.cast != "AddressSpaceConversion" || object.inner.empty()) return;
        const std::string_view type = object.inner[0].type;
        if (contains(type, "bfloat")) return;
        for (const char* space : {"__global", "__constant", "__local"})
            if (contains(type, space))
                refuse(member.line, quote(member.name) +
                                        " is called on an object outside thread memory: Metal needs a member function "
                                        "qualified for that address space");
    }

    bool reaches(std::string_view from, std::string_view target, std::set<std::string_view>& seen) const {
        const auto function = functions_.find(from);
        if (function == functions_.end()) return false;
        for (const std::string_view callee : function->second.calls)
            if (callee == target || (seen.insert(callee).second && reaches(callee, target, seen))) return true;
        return false;
    }

    void refuse_recursion() {
        for (const auto& [id, function] : functions_) {
            std::set<std::string_view> seen;
            if (function.ours && reaches(id, id, seen))
                refuse(function.line, quote(function.name) + " calls itself: Metal has no recursion");
        }
    }

    std::string_view source_, prelude_;
    Lines lines_;
    std::map<std::string_view, Function> functions_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> foreign_constructs(std::string_view tree, std::string_view source, std::string_view prelude) {
    const Node root = parse_tree(tree);
    return DialectChecker(source, prelude).run(root);
}

}  // namespace tw::metal_check
