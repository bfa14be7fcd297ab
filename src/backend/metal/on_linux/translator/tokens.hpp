// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The tokens of a Metal source: words, numbers and signs, each with its file and line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tw::metal_check {

struct Token {
    std::string_view text;  ///< a part of the source, which must outlive it
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

/// Skips comments and follows the preprocessor's line markers; a string or character literal is one token.
Tokens tokenize(std::string_view source, std::string_view file);

}  // namespace tw::metal_check
