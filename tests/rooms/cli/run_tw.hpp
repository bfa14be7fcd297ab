// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Runs the built tw as a user would, and keeps what it said.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/sanitized.hpp"  // a sanitizer takes memory and addresses of its own

namespace tw::test {

struct Ran {
    int code = -1;    ///< its exit code, or 128 + the signal that ended it
    std::string out;  ///< what it printed
    std::string error;
    long peak_bytes = 0;
};

struct Limits {
    long file_bytes = -1;       ///< RLIMIT_FSIZE
    long address_bytes = -1;    ///< RLIMIT_AS
    std::vector<int> closed{};  ///< standard streams that are closed when it begins
    std::vector<std::string> environment{};
    std::string output{};  ///< where its standard output goes instead of Ran::out
};

Ran run_tw(const std::vector<std::string>& arguments, const Limits& limits = {});

/// True when its memory stayed under the files' size + 64 MiB. Not asked under a sanitizer.
bool keeps_within(const Ran& ran, std::size_t file_bytes);

/// True when its peak of memory is below that; always true under a sanitizer, whose own memory counts, too.
bool peaks_below(const Ran& ran, long bytes);

/// Starts tw and leaves it running, silent.
pid_t start_tw(const std::vector<std::string>& arguments);

/// Waits for a process of start_tw: its exit code, or 128 + the signal.
int wait_for(pid_t child);

/// A fresh folder under the system's temporary one, removed with all in it when this goes.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    std::string path(const std::string& name) const { return root_ + "/" + name; }
    const std::string& root() const { return root_; }
    std::vector<std::string> names() const;  ///< sorted

private:
    std::string root_;
};

void write_file(const std::string& path, const std::string& bytes);
std::string read_file(const std::string& path);

}  // namespace tw::test
