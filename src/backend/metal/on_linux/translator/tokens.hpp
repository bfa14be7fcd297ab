// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A Metal source cut into words, numbers and signs, each with the file and line that it came from.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

struct Token {
    std::string_view text;  ///< a piece of the source, which must outlive it
    std::size_t offset = 0;
    int file = 0;  ///< index into Tokens::files
    int line = 0;
    bool is_word() const noexcept {
        const char c = text.empty() ? 0 : text[0];
        return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
};

struct Tokens {
    std::vector<Token> all;
    std::vector<std::string> files;

    std::string where(const Token& token) const {
        return files[static_cast<std::size_t>(token.file)] + ':' + std::to_string(token.line);
    }
};

/// Comments are skipped; the preprocessor's line markers are obeyed; string and character literals are one token.
Tokens cut(std::string_view source, std::string_view file);

}  // namespace tw::metal_check
