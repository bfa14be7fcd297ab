// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A file that appears whole or not at all. It is written in its folder, without a name where the file system can (so
// that a killed process leaves nothing behind), else under a temporary name; then flushed and renamed. Until then, and
// if anything fails, the old file stays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/files/descriptor.hpp"

namespace tw::cli {

class OutputFile {
public:
    /// Creates the temporary file in the folder of `path`.
    explicit OutputFile(std::string path);
    ~OutputFile();  ///< removes the file unless keep() was called
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Reserves so many bytes, so that a full disk is found before the work. Where the file system can't, write()
    /// fails.
    void reserve(std::int64_t bytes);

    void write(std::int64_t offset, std::string_view bytes);

    /// Renames the file to its final name.
    void keep();

private:
    bool open_nameless();
    void open_beside();
    void give_name();
    [[noreturn]] void fail_with(int error, const char* doing) const;

    std::string shown_;      ///< as the user wrote it
    std::string target_;     ///< with links followed
    std::string temporary_;  ///< its temporary name; empty: it has none
    Descriptor file_;
};

}  // namespace tw::cli
