// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The parameters of a kernel: where each is bound, and checks of that.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/metal/on_linux/translator/program.hpp"
#include "backend/metal/on_linux/translator/tokens.hpp"

namespace tw::metal_check {

/// An attribute of a parameter, such as [[buffer(3)]].
struct Attribute {
    std::string_view name;
    long index = -1;
    const Token* at = nullptr;
};

class Parameters {
public:
    /// Adds to `kernel`, whose name is set; mistakes become sentences in `errors`.
    Parameters(KernelText& kernel, const Tokens& tokens, std::vector<std::string>& errors)
        : kernel_(kernel), tokens_(tokens), errors_(errors) {}

    /// `words`: the type, then the name.
    void add(const std::vector<Token>& words, const std::vector<Attribute>& attributes);

private:
    void check_built_in(const Token& at, const std::string& what, const Parameter& p);
    void refuse(const Token& at, const std::string& sentence) {
        errors_.push_back(tokens_.where(at) + ": " + sentence);
    }

    KernelText& kernel_;
    const Tokens& tokens_;
    std::vector<std::string>& errors_;
    std::set<std::pair<int, unsigned>> taken_;  ///< bindings and indices
    unsigned next_buffer_ = 0;
};

}  // namespace tw::metal_check
