// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/file/reader.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "formats/memory.hpp"
#include "tilewright/tilewright.hpp"

namespace tw::effort {

Reader::Reader(const std::string& path) : path_(path), file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat about{};
    std::string why;
    if (file_ < 0) why = std::string("it can't be opened: ") + std::strerror(errno);
    else if (fstat(file_, &about) != 0 || !S_ISREG(about.st_mode)) why = "expected a regular file";
    size_ = about.st_size;
    if (why.empty()) return;
    if (file_ >= 0) close(file_);  // a constructor that throws has no destructor
    refuse(0, why);
}

Reader::~Reader() { close(file_); }

void Reader::read(std::int64_t offset, std::span<std::byte> to) const {
    while (!to.empty()) {
        const ssize_t got = pread(file_, to.data(), to.size(), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) refuse(offset, std::string("it can't be read: ") + std::strerror(errno));
        if (got == 0) refuse(offset, "it ends here, and " + std::to_string(to.size()) + " bytes more were expected");
        to = to.subspan(static_cast<std::size_t>(got)), offset += got;
    }
}

std::shared_ptr<std::byte> Reader::mapped() const {
    const auto bytes = static_cast<std::size_t>(size_);
    void* const data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file_, 0);
    if (data == MAP_FAILED) refuse(0, std::string("it can't be mapped: ") + std::strerror(errno));
    return {static_cast<std::byte*>(data), [bytes](std::byte* all) { munmap(all, bytes); }};
}

void Reader::refuse(std::int64_t offset, const std::string& why) const {
    throw Error({Code::bad_file, Argument::none, "not a file of a matrix with an effort dial"},
                path_ + ": offset " + std::to_string(offset) + ": " + why);
}

void Reader::expect_zeros(std::int64_t offset, std::int64_t count) const {
    std::byte bytes[line];
    read(offset, std::span(bytes).first(static_cast<std::size_t>(count)));
    for (std::int64_t i = 0; i < count; ++i)
        expect(bytes[i] == std::byte{0}, offset + i, "0", std::to_integer<int>(bytes[i]));
}

}  // namespace tw::effort
