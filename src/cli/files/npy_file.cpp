// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/npy_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/exit.hpp"
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

/// A path that can't be used is the user's affair; a machine out of means is not.
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

NpyFile::NpyFile(std::string path, Vector vector) : path_(std::move(path)) {
    try {
        open_and_check();
        header_ = parse_npy_header(read_header(), file_bytes_);
    } catch (const Fault& fault) {
        refuse_at(fault.offset(), fault.what());
    }
    rows_ = header_.extent[0];
    cols_ = header_.extent[1];
    if (header_.dimensions == 1 && vector == Vector::row) std::swap(rows_, cols_);
    if (header_.dimensions < 2) header_.fortran_order = cols_ <= 1;
}

void NpyFile::open_and_check() {
    // Without O_NONBLOCK, opening a pipe would wait for a writer that may never come.
    file_ = Descriptor(open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file_.is_open() || fstat(file_.number(), &status) != 0) {
        const int error = errno;
        throw Stop(code_for(error), fmt::format("{}: it can't be opened: {}", quoted_path(path_), std::strerror(error)));
    }
    if (!S_ISREG(status.st_mode))
        refuse("{}: it is {}; an .npy file is read from a regular file, whose size can be checked", quoted_path(path_),
               kind_of(status.st_mode));
    file_bytes_ = status.st_size;
    written_ = time_written(status);
}

std::string NpyFile::read_header() const {
    std::string bytes(static_cast<std::size_t>(std::min(npy_prefix_bytes, file_bytes_)), '\0');
    read_bytes(0, static_cast<std::int64_t>(bytes.size()), bytes.data());
    bytes.resize(static_cast<std::size_t>(npy_header_end(bytes, file_bytes_)));
    read_bytes(0, static_cast<std::int64_t>(bytes.size()), bytes.data());
    return bytes;
}

Matrix NpyFile::read(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols, void* memory) const {
    const bool by_rows = is_row_major();
    const auto size = static_cast<std::int64_t>(size_of(type()));
    const std::int64_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    const std::int64_t first_line = by_rows ? i : j, first_in_line = by_rows ? j : i;
    const std::int64_t whole_length = by_rows ? cols_ : rows_;

    const auto offset_of = [&](std::int64_t line) {
        return header_.data_offset + ((first_line + line) * whole_length + first_in_line) * size;
    };
    char* to = static_cast<char*>(memory);
    if (length == whole_length) {
        read_bytes(offset_of(0), lines * length * size, to);
    } else {
        for (std::int64_t line = 0; line < lines; ++line, to += length * size) read_bytes(offset_of(line), length * size, to);
    }
    return by_rows ? Matrix{memory, type(), rows, cols, length, 1} : Matrix{memory, type(), rows, cols, 1, length};
}

void NpyFile::read_bytes(std::int64_t offset, std::int64_t count, char* memory) const {
    constexpr std::int64_t most_at_once = std::int64_t{1} << 30;
    while (count > 0) {
        const ssize_t got = pread(file_.number(), memory, static_cast<std::size_t>(std::min(count, most_at_once)), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("{}: reading at byte {} failed: {}", quoted_path(path_), offset, std::strerror(errno));
        if (got == 0) refuse_at(offset, fmt::format("the file ended while it was read; it had {} bytes before", file_bytes_));
        memory += got, offset += got, count -= got;
    }
}

void NpyFile::check_unchanged() const {
    struct stat now {};
    if (fstat(file_.number(), &now) != 0) fail("{}: {}", quoted_path(path_), std::strerror(errno));
    if (now.st_size != file_bytes_)
        refuse_at(std::min<std::int64_t>(now.st_size, file_bytes_),
                  fmt::format("the file had {} bytes when it was opened and has {} now", file_bytes_, now.st_size));
    const timespec written = time_written(now);
    if (written.tv_sec != written_.tv_sec || written.tv_nsec != written_.tv_nsec)
        refuse_at(header_.data_offset, "the file was written to while it was read");
}

void NpyFile::refuse_at(std::int64_t offset, const std::string& what_is_wrong) const {
    refuse("{}: at byte {}: {}", quoted_path(path_), offset, what_is_wrong);
}

}  // namespace tw::cli
