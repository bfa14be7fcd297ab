// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "cli/ending/exit.hpp"
#include "cli/ending/interrupt.hpp"
#include "cli/files/quoted.hpp"

namespace tw::cli {
namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// ".c.npy.3f9a0c21d4e8b7f6.part": hidden, unique, and made from the target's name, which is cut if it is long.
std::string name_beside(const std::string& path) {
    constexpr std::size_t longest_stem = 200;
    const std::size_t slash = path.rfind('/');
    const std::string stem = path.substr(slash == std::string::npos ? 0 : slash + 1).substr(0, longest_stem);
    std::random_device random;
    return fmt::format("{}/.{}.{:08x}{:08x}.part", folder_of(path), stem, random(), random());
}

/// A path that names an open file.
std::string name_of_open(int number) { return fmt::format("/proc/self/fd/{}", number); }

bool is_users_affair(int error) {
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM || error == EROFS ||
           error == ELOOP || error == ENAMETOOLONG || error == EISDIR;
}

}  // namespace

OutputFile::OutputFile(std::string path) : shown_(std::move(path)), target_(shown_) {
    if (shown_.empty()) refuse("'': a file to write needs a name");
    if (shown_ == "-")
        refuse(
            "'-': the result can't go to standard output, since it is written whole or not at all; name a file, or ./- "
            "if it is called "
            "so");
    struct stat there{};
    const bool exists = stat(shown_.c_str(), &there) == 0;
    if (exists && !S_ISREG(there.st_mode))
        refuse(
            "{}: it exists already and is not a regular file; the result is written to a temporary file and "
            "renamed, which would replace it",
            quoted_path(shown_));
    struct stat link{};
    if (lstat(shown_.c_str(), &link) == 0 && S_ISLNK(link.st_mode)) {
        char* followed = realpath(shown_.c_str(), nullptr);
        if (!followed) refuse("{}: it is a symbolic link that leads nowhere", quoted_path(shown_));
        target_ = followed;
        std::free(followed);
    }
    if (!open_nameless()) open_beside();
    if (exists)
        static_cast<void>(
            fchmod(file_.number(), there.st_mode & 07777));  // if it fails, the file keeps the default mode
}

/// Works where the file system has files without a name, and /proc can name them later.
bool OutputFile::open_nameless() {
#if defined(O_TMPFILE)
    file_ = Descriptor(open(folder_of(target_).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666));
    return file_.is_open() && access(name_of_open(file_.number()).c_str(), F_OK) == 0;
#else
    return false;
#endif
}

/// A link can't replace an existing file, but a rename can: so it links to a temporary name first.
void OutputFile::give_name() {
    const HoldInterrupts hold;
    temporary_ = name_beside(target_);
    if (linkat(AT_FDCWD, name_of_open(file_.number()).c_str(), AT_FDCWD, temporary_.c_str(), AT_SYMLINK_FOLLOW) != 0) {
        const int error = errno;
        temporary_.clear();
        fail_with(error, "giving it a name");
    }
    remove_on_interrupt(temporary_.c_str());
}

void OutputFile::open_beside() {
    const HoldInterrupts hold;
    temporary_ = name_beside(target_);
    file_ = Descriptor(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    const int error = errno;
    if (!file_.is_open()) {
        temporary_.clear();
        fail_with(error, "making a file beside it");
    }
    remove_on_interrupt(temporary_.c_str());
}

OutputFile::~OutputFile() {
    if (temporary_.empty()) return;
    unlink(temporary_.c_str());
    remove_on_interrupt(nullptr);
}

void OutputFile::reserve(std::int64_t bytes) {
#if defined(__linux__)
    if (bytes == 0) return;
    while (fallocate(file_.number(), 0, 0, bytes) != 0) {
        if (errno == EOPNOTSUPP || errno == ENOSYS) return;
        if (errno != EINTR) fail_with(errno, "making room for it");
    }
#else
    static_cast<void>(bytes);
#endif
}

void OutputFile::write(std::int64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t done =
            pwrite(file_.number(), bytes.data(), std::min<std::size_t>(bytes.size(), 1u << 30), offset);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) fail_with(errno, "writing it");
        offset += done;
        bytes.remove_prefix(static_cast<std::size_t>(done));
    }
}

void OutputFile::keep() {
    if (fsync(file_.number()) != 0) fail_with(errno, "flushing it to the disk");
    if (temporary_.empty()) give_name();
    if (close(file_.release()) != 0) fail_with(errno, "closing it");
    if (rename(temporary_.c_str(), target_.c_str()) != 0) fail_with(errno, "putting it in its place");
    temporary_.clear();
    remove_on_interrupt(nullptr);
    // The new name is safe only once the folder is flushed, too. Where the file system can't, the file is whole anyway.
    const Descriptor folder(open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.is_open()) fsync(folder.number());
}

void OutputFile::fail_with(int error, const char* doing) const {
    throw Stop(is_users_affair(error) ? Exit::bad_input : Exit::failed,
               fmt::format("{}: {} failed: {}; what was there before is unchanged", quoted_path(shown_), doing,
                           std::strerror(error)));
}

}  // namespace tw::cli
