// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The small text files by which Linux tells of the machine, without a heap.
#pragma once

#include <fcntl.h>
#include <unistd.h>

namespace tw {

/// The beginning of a file, as text; false when there is none.
template <int size>
bool read_text(const char* path, char (&text)[size]) noexcept {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const ssize_t got = read(file, text, size - 1);
    close(file);
    text[got > 0 ? got : 0] = '\0';
    return got > 0;
}

}  // namespace tw
