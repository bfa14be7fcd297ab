// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/tokens.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace tw::metal_check {
namespace {

bool in_word(char c) noexcept { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

class Lexer {
public:
    Lexer(std::string_view source, std::string_view file) : source_(source) { tokens_.files.emplace_back(file); }

    Tokens tokenize() {
        while (at_ < source_.size()) step();
        return std::move(tokens_);
    }

private:
    char peek(std::size_t ahead = 0) const noexcept {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }

    void step() {
        const char c = peek();
        if (c == '\n') {
            ++line_, ++at_, fresh_line_ = true;
        } else if (std::isspace(static_cast<unsigned char>(c))) {
            ++at_;
        } else if (c == '#' && fresh_line_) {
            directive();
        } else if (c == '/' && peek(1) == '/') {
            at_ = std::min(source_.find('\n', at_), source_.size());
        } else if (c == '/' && peek(1) == '*') {
            const std::size_t end = std::min(source_.find("*/", at_ + 2), source_.size() - 2) + 2;
            line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                                 source_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
            at_ = end;
        } else if (c == '"' || c == '\'') {
            std::size_t end = at_ + 1;
            while (end < source_.size() && source_[end] != c) end += source_[end] == '\\' ? 2 : 1;
            take(std::min(end + 1, source_.size()) - at_);
        } else if (in_word(c) || (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
            const bool number = !(c == '_' || std::isalpha(static_cast<unsigned char>(c)));
            std::size_t length = 1;
            while (in_word(peek(length)) || (number && peek(length) == '.')) ++length;
            take(length);
        } else {
            take(1);
        }
    }

    /// "# 12 "file" 1": what follows is line 12 of that file. Other directives are skipped with their continuations.
    void directive() {
        std::size_t end = at_;
        do {
            end = std::min(source_.find('\n', end + (end > at_)), source_.size());
        } while (end < source_.size() && end > at_ && source_[end - 1] == '\\' && ++line_);
        const std::string text(source_.substr(at_, end - at_));
        at_ = end;
        char* after = nullptr;
        const long line = std::strtol(text.c_str() + 1, &after, 10);
        const std::size_t open = text.find('"'), close = text.rfind('"');
        if (after == text.c_str() + 1 || open == std::string::npos || open == close) return;
        const std::string file = text.substr(open + 1, close - open - 1);
        const auto known = std::find(tokens_.files.begin(), tokens_.files.end(), file);
        file_ = static_cast<int>(known - tokens_.files.begin());
        if (known == tokens_.files.end()) tokens_.files.push_back(file);
        line_ = static_cast<int>(line) - 1;
    }

    void take(std::size_t length) {
        tokens_.all.push_back({source_.substr(at_, length), at_, file_, line_});
        at_ += length;
        fresh_line_ = false;
    }

    std::string_view source_;
    std::size_t at_ = 0;
    int line_ = 1, file_ = 0;
    bool fresh_line_ = true;
    Tokens tokens_;
};

}  // namespace

Tokens tokenize(std::string_view source, std::string_view file) { return Lexer(source, file).tokenize(); }

}  // namespace tw::metal_check
