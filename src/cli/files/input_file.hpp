// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A regular file, read at given positions. It is not memory-mapped: if a mapped file is truncated, reading it kills the
// process. Errors throw a Stop that names the file and the byte.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "cli/files/descriptor.hpp"

namespace tw::cli {

class InputFile {
public:
    /// `kind` says in messages what it should be: "an .npy file".
    InputFile(std::string path, const char* kind);

    const std::string& path() const noexcept { return path_; }
    std::int64_t bytes() const noexcept { return bytes_; }

    void read(std::int64_t offset, std::int64_t count, char* memory) const;
    std::string read(std::int64_t offset, std::int64_t count) const;

    /// Refuses a file that was written to since it was opened; the message names byte `first`.
    void check_unchanged(std::int64_t first) const;

    [[noreturn]] void refuse_at(std::int64_t offset, const std::string& what_is_wrong) const;

private:
    std::string path_;
    Descriptor file_;
    std::int64_t bytes_ = 0;
    timespec written_{};
};

}  // namespace tw::cli
