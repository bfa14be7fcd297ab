// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "effort/file/form.hpp"

namespace tw {
namespace {

using namespace effort;

constexpr Status unwritable{Code::bad_file, Argument::none, "a file of a matrix with an effort dial can't be written"};

/// The file that a link leads to. A device or a folder is refused, because a rename would replace it.
std::string place_of(const std::string& path) {
    struct stat there{};
    if (stat(path.c_str(), &there) != 0) return path;
    if (!S_ISREG(there.st_mode)) throw Error(unwritable, path + ": it exists already and is not a regular file");
    char* followed = realpath(path.c_str(), nullptr);
    const std::string place = followed ? followed : path;
    std::free(followed);
    return place;
}

/// A temporary file beside the final one: removed unless it is renamed to it.
class FileBeside {
public:
    explicit FileBeside(const std::string& path) : path_(path), place_(place_of(path)) {
        static std::atomic<unsigned> count = 0;
        do {  // never writes to a file that is there: it may be a killed process's, or somebody's link
            beside_ = place_ + ".part" + std::to_string(getpid()) + "." + std::to_string(++count);
            file_ = open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        } while (file_ < 0 && errno == EEXIST);
        if (file_ < 0) fail("created");
    }
    ~FileBeside() {
        if (file_ >= 0) close(file_);
        if (!placed_) unlink(beside_.c_str());
    }
    FileBeside(const FileBeside&) = delete;
    FileBeside& operator=(const FileBeside&) = delete;

    void write(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t put = ::write(file_, bytes.data(), bytes.size());
            if (put < 0 && errno == EINTR) continue;
            if (put <= 0) fail("written");
            bytes = bytes.subspan(static_cast<std::size_t>(put));
        }
    }

    void place() {
        if (fsync(file_) != 0) fail("written");
        if (rename(beside_.c_str(), place_.c_str()) != 0) fail("put in its place");
        placed_ = true;
    }

private:
    [[noreturn]] void fail(const char* doing) const {
        throw Error(unwritable, path_ + ": it can't be " + doing + ": " + std::strerror(errno));
    }

    std::string path_, place_, beside_;
    int file_ = -1;
    bool placed_ = false;
};

}  // namespace

void EffortMatrix::save(const std::string& path) const {
    if (!body_)
        throw Error({Code::bad_argument, Argument::a, "the matrix is empty"},
                    path + ": an empty matrix can't be saved");
    FileHeader header;
    header.layout = static_cast<std::uint32_t>(body_->layout()),
    header.bucket = static_cast<std::uint32_t>(body_->bucket);
    header.truncating = body_->truncating, header.type = static_cast<std::uint32_t>(body_->type);
    header.outputs = body_->outputs, header.inputs = body_->inputs;
    header.experts = body_->experts, header.exponent = body_->exponent;
    header.has_dense = has_dense();
    header.arrays_sum = checksum_start;
    const auto arrays = arrays_of(*body_);
    for (std::size_t a = 0; a < arrays.size(); ++a) {
        header.sizes[a] = static_cast<std::int64_t>(arrays[a]->size());
        header.arrays_sum = checksum(arrays[a]->bytes(), header.arrays_sum);
    }
    const std::span<const std::byte> header_bytes = std::as_bytes(std::span(&header, 1));
    header.header_sum = checksum(header_bytes.first(120));

    FileBeside file(path);
    file.write(header_bytes);
    for (const Memory* array : arrays) {
        constexpr std::byte zeros[line] = {};
        const auto size = static_cast<std::int64_t>(array->size());
        file.write(array->bytes());
        file.write(std::span(zeros).first(static_cast<std::size_t>(up_to_line(size) - size)));
    }
    file.place();
}

}  // namespace tw
