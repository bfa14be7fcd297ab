// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where the program that runs lies, to start it anew: what valgrind runs is valgrind by the name of /proc/self/exe, but
// it answers who reads that link.
#pragma once

#include <unistd.h>

#include <climits>
#include <string>

namespace tw::test {

inline std::string own_program() {
    char path[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return {path, length < 0 ? 0 : static_cast<std::size_t>(length)};
}

}  // namespace tw::test
