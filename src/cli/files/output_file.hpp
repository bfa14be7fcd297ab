// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A file that comes into being whole: written in the folder of its place, without a name where the file system can (so
// that a process killed meanwhile leaves nothing), else under another name; flushed, then renamed. Until then, and if
// anything fails, what was there before stays as it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/files/descriptor.hpp"

namespace tw::cli {

class OutputFile {
public:
    /// Makes the file beside `path`.
    explicit OutputFile(std::string path);
    ~OutputFile();  ///< removes what was not kept
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// Takes the room for so many bytes now, so that a full disk is found before the work and not after it. Where the
    /// file system can't, writing will tell.
    void reserve(std::int64_t bytes);

    void write(std::int64_t offset, std::string_view bytes);

    /// Puts the file in its place.
    void keep();

private:
    bool open_nameless();
    void open_beside();
    void give_name();
    [[noreturn]] void fail_with(int error, const char* doing) const;

    std::string shown_;      ///< as the user wrote it
    std::string target_;     ///< with links followed
    std::string temporary_;  ///< its name beside; empty: it has none
    Descriptor file_;
};

}  // namespace tw::cli
