// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One scratch cut into matrices that start on lines of their own.
#pragma once

#include <cstddef>
#include <span>

#include "tilewright/view.hpp"

namespace tw {

/// What device copy engines want of a row's start too.
constexpr std::size_t in_lines(std::size_t bytes) noexcept { return (bytes + 127) / 128 * 128; }

constexpr std::size_t matrix_bytes(Type type, std::int64_t rows, std::int64_t cols) noexcept {
    return in_lines(static_cast<std::size_t>(rows * cols) * size_of(type));
}

class Carver {
public:
    explicit Carver(std::span<std::byte> scratch) : rest_(scratch) {}

    Matrix row_major(Type type, std::int64_t rows, std::int64_t cols) noexcept {
        const Matrix carved{rest_.data(), type, rows, cols, cols};
        rest_ = rest_.subspan(matrix_bytes(type, rows, cols));
        return carved;
    }
    std::span<std::byte> rest() const noexcept { return rest_; }

private:
    std::span<std::byte> rest_;
};

}  // namespace tw
