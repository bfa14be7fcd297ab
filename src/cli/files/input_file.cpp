// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/ending/exit.hpp"
#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

const char* kind_of(mode_t mode) {
    if (S_ISDIR(mode)) return "a folder";
    if (S_ISFIFO(mode)) return "a pipe";
    if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
    if (S_ISSOCK(mode)) return "a socket";
    return "no regular file";
}

/// A path that can't be used is the user's mistake; a lack of memory or descriptors is not.
Exit code_for(int error) {
    return error == EIO || error == EMFILE || error == ENFILE || error == ENOMEM ? Exit::failed : Exit::bad_input;
}

timespec time_written(const struct stat& status) {
#if defined(__APPLE__)
    return status.st_mtimespec;
#else
    return status.st_mtim;
#endif
}

}  // namespace

InputFile::InputFile(std::string path, const char* kind) : path_(std::move(path)) {
    // Without O_NONBLOCK, opening a pipe would wait for a writer, perhaps forever.
    file_ = Descriptor(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status{};
    if (!file_.is_open() || fstat(file_.number(), &status) != 0) {
        const int error = errno;
        throw Stop(code_for(error),
                   fmt::format("{}: it can't be opened: {}", quoted_path(path_), std::strerror(error)));
    }
    if (!S_ISREG(status.st_mode))
        refuse("{}: it is {}; {} is read from a regular file, whose size can be checked", quoted_path(path_),
               kind_of(status.st_mode), kind);
    bytes_ = status.st_size;
    written_ = time_written(status);
}

void InputFile::read(std::int64_t offset, std::int64_t count, char* memory) const {
    constexpr std::int64_t most_at_once = std::int64_t{1} << 30;
    while (count > 0) {
        const ssize_t got =
            pread(file_.number(), memory, static_cast<std::size_t>(std::min(count, most_at_once)), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("{}: reading at byte {} failed: {}", quoted_path(path_), offset, std::strerror(errno));
        if (got == 0)
            refuse_at(offset, fmt::format("the file ended while it was read; it had {} bytes before", bytes_));
        memory += got, offset += got, count -= got;
    }
}

std::string InputFile::read(std::int64_t offset, std::int64_t count) const {
    std::string bytes(static_cast<std::size_t>(count), '\0');
    read(offset, count, bytes.data());
    return bytes;
}

void InputFile::check_unchanged(std::int64_t first) const {
    struct stat now{};
    if (fstat(file_.number(), &now) != 0) fail("{}: {}", quoted_path(path_), std::strerror(errno));
    if (now.st_size != bytes_)
        refuse_at(std::min<std::int64_t>(now.st_size, bytes_),
                  fmt::format("the file had {} bytes when it was opened and has {} now", bytes_, now.st_size));
    const timespec written = time_written(now);
    if (written.tv_sec != written_.tv_sec || written.tv_nsec != written_.tv_nsec)
        refuse_at(first, "the file was written to while it was read");
}

void InputFile::refuse_at(std::int64_t offset, const std::string& what_is_wrong) const {
    refuse("{}: at byte {}: {}", quoted_path(path_), offset, what_is_wrong);
}

}  // namespace tw::cli
