// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/reader.hpp"

#include <algorithm>
#include <array>

#include "backend/metal/on_linux/translator/parameters.hpp"
#include "backend/metal/on_linux/translator/tokens.hpp"
#include "backend/metal/on_linux/translator/wrappers.hpp"

namespace tw::metal_check {
namespace {

struct Edit {
    std::size_t from, to;
    std::string text;
};

class Reader {
public:
    Reader(std::string_view source, std::string_view file, std::string_view prelude)
        : source_(source), prelude_(prelude), tokens_(tokenize(source, file)) {}

    Reading read() {
        for (at_ = 0; at_ < tokens_.all.size(); ++at_) {
            if (!ours(token())) continue;
            refuse_metal_keywords();
            if (is("[") && is("[", 1) && is("__attribute__", 2) && is("__kernel", 8)) {  // [[kernel]], macros expanded
                edits_.push_back({token().offset, token(10).offset + 1, "__attribute__((noinline)) __kernel"});
                at_ += 10;
                kernel();
            } else if (is("__kernel")) kernel();
            else if (is("function_constant")) function_constant();
        }
        reading_.annotated = edited() + wrappers(reading_.program.kernels);
        return std::move(reading_);
    }

private:
    const Token& token(std::size_t ahead = 0) const {
        static const Token end{};
        return at_ + ahead < tokens_.all.size() ? tokens_.all[at_ + ahead] : end;
    }
    bool is(std::string_view text, std::size_t ahead = 0) const { return token(ahead).text == text; }
    bool ours(const Token& t) const {
        const std::string& file = tokens_.files[static_cast<std::size_t>(t.file)];
        return file.find(prelude_) == std::string::npos && !file.starts_with('<');
    }
    void refuse(const Token& t, const std::string& sentence) {
        reading_.errors.push_back(tokens_.where(t) + ": " + sentence);
    }

    void refuse_metal_keywords() {
        static constexpr std::array words{"fragment",     "vertex",      "visible",  "stitchable",
                                          "intersection", "object_data", "ray_data", "threadgroup_imageblock",
                                          "mesh"};
        if (std::find(words.begin(), words.end(), token().text) != words.end())
            refuse(token(), "'" + std::string(token().text) +
                                "' is a keyword of Metal, or a kind of function other than a compute kernel");
    }

    /// constant T name [[function_constant(n)]];  becomes  extern constant T name;
    void function_constant() {
        std::size_t open = at_, name = at_;
        while (open > 0 && tokens_.all[open].text != "[") --open;
        if (open < 4 || !is("(", 1) || tokens_.all[open - 1].text != "[")
            return refuse(token(), "function_constant belongs in [[ ]]");
        name = open - 2;
        std::size_t start = name;
        while (start > 0 && tokens_.all[start].text != "constant" && tokens_.all[start].text != ";") --start;
        if (tokens_.all[start].text != "constant")
            return refuse(token(), "a function constant is declared 'constant T name [[function_constant(n)]];'");
        const Token &first = tokens_.all[start], &after = token(5);
        FunctionConstant found;
        found.name = tokens_.all[name].text;
        found.index = static_cast<unsigned>(std::stoul(std::string(token(2).text)));
        for (std::size_t i = start + 1; i < name; ++i) found.type += std::string(tokens_.all[i].text);
        reading_.program.constants.push_back(found);
        edits_.push_back({first.offset, first.offset, "extern "});
        edits_.push_back({tokens_.all[open - 1].offset, after.offset + 1, ""});
    }

    void kernel() {
        if (at_ > 1 && tokens_.all[at_ - 1].text == ">")
            return refuse(token(),
                          "a templated kernel can't be read here: name each instance through a macro, "
                          "#define INSTANCE(name, T) kernel void name(...) { body<T>(...); }");
        ++at_;
        if (!is("void")) return refuse(token(), "a kernel returns void, not '" + std::string(token().text) + "'");
        if (!token(1).is_word() || !is("(", 2))
            return refuse(token(), "a kernel's name and its parameters were expected");
        KernelText found;
        found.name = token(1).text;
        const Token& name = token(1);
        at_ += 3;
        Parameters parameters(found, tokens_, reading_.errors);
        while (!is(")") && at_ < tokens_.all.size()) {
            std::vector<Token> type;
            std::vector<Attribute> attributes;
            parameter_tokens(type, attributes);
            if (is(",")) ++at_;
            if (!type.empty()) parameters.add(type, attributes);
        }
        for (const KernelText& other : reading_.program.kernels)
            if (other.name == found.name) refuse(name, "there are two kernels named " + found.name);
        reading_.program.kernels.push_back(std::move(found));
    }

    /// Reads up to the comma or parenthesis that ends a parameter.
    void parameter_tokens(std::vector<Token>& type, std::vector<Attribute>& attributes) {
        for (int depth = 0; at_ < tokens_.all.size(); ++at_) {
            if (depth == 0 && (is(",") || is(")"))) return;
            if (is("[") && is("[", 1)) {
                at_ += 2;
                while (!(is("]") && is("]", 1)) && at_ < tokens_.all.size()) {
                    Attribute a{token().text, -1, &token()};
                    if (is("(", 1)) {
                        const std::string number(token(2).text);
                        if (!number.empty() &&
                            std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; }))
                            a.index = std::stol(number);
                        else refuse(token(2), "a plain number was expected as index, not '" + number + "'");
                        at_ += 3;
                    }
                    ++at_;
                    if (is(",")) ++at_;
                    attributes.push_back(a);
                }
                ++at_;  // the loop steps over the second ]
                continue;
            }
            if (is("<") || is("(") || is("[")) ++depth;
            if (is(">") || is(")") || is("]")) --depth;
            type.push_back(token());
        }
    }

    std::string edited() {
        std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.from < b.from; });
        std::string text;
        std::size_t done = 0;
        for (const Edit& edit : edits_) {
            text += source_.substr(done, edit.from - done);
            text += edit.text;
            done = edit.to;
        }
        return text + std::string(source_.substr(done));
    }

    std::string_view source_, prelude_;
    Tokens tokens_;
    std::size_t at_ = 0;
    std::vector<Edit> edits_;
    Reading reading_;
};

}  // namespace

Reading read_kernels(std::string_view preprocessed, std::string_view file, std::string_view prelude) {
    return Reader(preprocessed, file, prelude).read();
}

}  // namespace tw::metal_check
