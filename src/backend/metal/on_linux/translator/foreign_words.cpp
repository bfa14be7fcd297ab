// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/foreign_words.hpp"

#include <algorithm>
#include <array>

#include "backend/metal/on_linux/translator/tokens.hpp"

namespace tw::metal_check {

std::vector<std::string> foreign_words(std::string_view source, std::string_view file) {
    static constexpr std::array openings{"__builtin_", "__msl_", "get_global_", "get_local_", "get_group_",
                                         "__opencl",   "vload",  "vstore",      "convert_"};
    static constexpr std::array words{
        "__global", "__local", "__private",      "__constant",   "__generic",  "__kernel", "__attribute__", "goto",
        "double",   "virtual", "throw",          "try",          "catch",      "typeid",   "dynamic_cast",  "new",
        "delete",   "printf",  "addrspace_cast", "thread_local", "long double"};
    std::vector<std::string> errors;
    const Tokens tokens = tokenize(source, file);
    for (std::size_t i = 0; i < tokens.all.size(); ++i) {
        const Token& token = tokens.all[i];
        const auto opens = [&](std::string_view opening) { return token.text.starts_with(opening); };
        if (std::any_of(openings.begin(), openings.end(), opens) ||
            std::find(words.begin(), words.end(), token.text) != words.end())
            errors.push_back(tokens.where(token) + ": '" + std::string(token.text) + "' does not exist in Metal");
        // (float4)(x, y, z, w) is OpenCL's spelling; Metal's is float4(x, y, z, w)
        const bool vector =
            token.is_word() && token.text.size() > 3 && token.text.back() >= '2' && token.text.back() <= '4';
        if (vector && i > 0 && i + 2 < tokens.all.size() && tokens.all[i - 1].text == "(" &&
            tokens.all[i + 1].text == ")" && tokens.all[i + 2].text == "(") {
            int depth = 1;
            bool comma = false;
            for (std::size_t j = i + 3; j < tokens.all.size() && depth > 0; ++j) {
                if (tokens.all[j].text == "(") ++depth;
                if (tokens.all[j].text == ")") --depth;
                comma |= depth == 1 && tokens.all[j].text == ",";
            }
            if (comma)
                errors.push_back(tokens.where(token) + ": (" + std::string(token.text) +
                                 ")(...) is OpenCL's; Metal writes " + std::string(token.text) + "(...)");
        }
    }
    return errors;
}

}  // namespace tw::metal_check
