// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The build's compiler for .metal files: metal_translate SOURCE OBJECT SYMBOL PRELUDE CLANG checked|plain [-D... -I...]
#include <cstdio>

#include "backend/metal/on_linux/translator/translate.hpp"

int main(int count, char** words) {
    if (count < 7) {
        std::fputs("metal_translate: expected SOURCE OBJECT SYMBOL PRELUDE CLANG checked|plain [flags]\n", stderr);
        return 2;
    }
    tw::metal_check::TranslationRequest request;
    request.source = words[1];
    request.object = words[2];
    request.symbol = words[3];
    request.prelude = words[4];
    request.checked = std::string(words[6]) == "checked";
    for (int i = 7; i < count; ++i) request.flags.push_back(words[i]);
    const auto done = tw::metal_check::translate({words[5], 0}, request);
    for (const std::string& error : done.errors) std::fprintf(stderr, "%s\n", error.c_str());
    return done.errors.empty() ? 0 : 1;
}
