// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/translator/syntax_tree.hpp"

namespace tw::metal_check {
namespace {

struct Location {
    int line = 0;
    std::size_t offset = 0, length = 0;
};

/// clang omits a line number that equals the last one, so all locations must be read, in order.
class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Node node() {
        Node found;
        fields([&](std::string_view key) {
            if (key == "id") found.id = string();
            else if (key == "kind") found.kind = string();
            else if (key == "name") found.name = string();
            else if (key == "storageClass") found.storage = string();
            else if (key == "castKind") found.cast = string();
            else if (key == "isImplicit") found.is_implicit = true, skip();
            else if (key == "bases") found.has_bases = true, skip();
            else if (key == "type")
                fields([&](std::string_view k) {
                    if (k == "qualType") found.type = string();
                    else skip();
                });
            else if (key == "loc") {
                if (const Location l = location(); found.line == 0) found.line = l.line;
            } else if (key == "range") range(found);
            else if (key == "referencedDecl") reference(found);
            else if (key == "inner") elements([&] { found.inner.push_back(node()); });
            else skip();
        });
        return found;
    }

private:
    void blank() {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
            ++at_;
    }
    char peek() {
        blank();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    std::string_view string() {
        if (peek() != '"') {
            skip();
            return {};
        }
        const std::size_t from = ++at_;
        while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
        return text_.substr(from, at_++ - from);
    }

    long number() {
        long value = 0;
        for (peek(); at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_)
            value = value * 10 + (text_[at_] - '0');
        return value;
    }

    template <class Take>
    void fields(Take take) {
        if (peek() != '{') return skip();
        ++at_;
        while (peek() == '"') {
            const std::string_view key = string();
            if (peek() == ':') ++at_;
            take(key);
            if (peek() == ',') ++at_;
        }
        if (peek() == '}') ++at_;
    }

    template <class Take>
    void elements(Take take) {
        if (peek() != '[') return skip();
        ++at_;
        while (peek() != ']' && at_ < text_.size()) {
            take();
            if (peek() == ',') ++at_;
        }
        ++at_;
    }

    void skip() {
        switch (peek()) {
            case '{': fields([&](std::string_view) { skip(); }); break;
            case '[': elements([&] { skip(); }); break;
            case '"': string(); break;
            default: {
                const std::size_t end = text_.find_first_of(",]}\n", at_);
                at_ = end == std::string_view::npos ? text_.size() : end > at_ ? end : at_ + 1;
            }
        }
    }

    Location location() {
        Location here;
        bool real = false;
        fields([&](std::string_view key) {
            if (key == "offset") here.offset = static_cast<std::size_t>(number()), real = true;
            else if (key == "line") last_line_ = static_cast<int>(number());
            else if (key == "tokLen") here.length = static_cast<std::size_t>(number());
            else if (key == "spellingLoc") location();
            else if (key == "expansionLoc") here = location();
            else skip();
        });
        if (real) here.line = last_line_;
        return here;
    }

    void range(Node& found) {
        fields([&](std::string_view key) {
            const Location here = location();
            if (key == "begin" && here.line) found.line = here.line;
            if (key == "end") found.last_token = here.offset, found.last_token_length = here.length;
        });
    }

    void reference(Node& found) {
        fields([&](std::string_view key) {
            if (key == "id") found.refers_to = string();
            else if (key == "kind") found.refers_to_kind = string();
            else skip();
        });
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int last_line_ = 0;
};

}  // namespace

Node parse_tree(std::string_view json) { return Parser(json).node(); }

}  // namespace tw::metal_check
