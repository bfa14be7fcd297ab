// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A file that is read in pieces or mapped, and the sentences that refuse it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace tw::effort {

class Reader {
public:
    /// Throws tw::Error where there is no such regular file.
    explicit Reader(const std::string& path);
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    const std::string& path() const noexcept { return path_; }
    std::int64_t size() const noexcept { return size_; }

    void read(std::int64_t offset, std::span<std::byte> to) const;

    /// The whole file, kept mapped as long as anybody holds what is returned, also when it is renamed or removed.
    /// Nobody may write to it.
    std::shared_ptr<std::byte> mapped() const;

    [[noreturn]] void refuse(std::int64_t offset, const std::string& why) const;

    void expect(bool holds, std::int64_t offset, const std::string& what, std::int64_t got) const {
        if (!holds) refuse(offset, "expected " + what + ", got " + std::to_string(got));
    }

    /// Between the arrays, where there are less than 64 bytes.
    void expect_zeros(std::int64_t offset, std::int64_t count) const;

private:
    std::string path_;
    int file_;
    std::int64_t size_ = 0;
};

}  // namespace tw::effort
