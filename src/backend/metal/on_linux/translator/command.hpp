// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Runs clang as a child process, and makes temporary folders for it.
#pragma once

#include <string>
#include <vector>

namespace tw::metal_check {

struct CommandOutput {
    int exit_code = 127;
    std::string out, err;
};

/// Without a shell, so arguments are passed unchanged.
CommandOutput run_command(const std::vector<std::string>& arguments, const std::string& folder);

class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const noexcept { return path_; }

private:
    std::string path_;  ///< empty when the folder could not be made
};

bool read_file(const std::string& path, std::string& text);
bool write_file(const std::string& path, const std::string& text);

}  // namespace tw::metal_check
