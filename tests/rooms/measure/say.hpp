// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw as a user types it.
#pragma once

#include <sys/wait.h>

#include <cstdio>
#include <string>

namespace tw::measure {

struct Said {
    int code = -1;
    std::string text;
};

/// Through the shell, both streams together, with a history and a store of its own.
inline Said say(const std::string& arguments, const std::string& before = "") {
    const std::string command =
        "TW_HISTORY=/dev/null/none TW_STORE=/dev/null " + before + " " + TW_BINARY + " " + arguments + " 2>&1";
    Said said;
    FILE* pipe = popen(command.c_str(), "r");
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) said.text.append(part, got);
    said.code = WEXITSTATUS(pclose(pipe));
    return said;
}

}  // namespace tw::measure
