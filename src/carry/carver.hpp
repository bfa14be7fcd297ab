// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One scratch cut into matrices that start on lines of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/view.hpp"

namespace tw {

/// What device copy engines want of a row's start too.
inline constexpr std::size_t line = 128;
constexpr std::size_t in_lines(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }

/// What is left of a caller's memory, which may begin anywhere, from its first line on.
inline std::span<std::byte> from_first_line(std::span<std::byte> memory) noexcept {
    const std::size_t before = (line - reinterpret_cast<std::uintptr_t>(memory.data()) % line) % line;
    return before < memory.size() ? memory.subspan(before) : std::span<std::byte>();
}

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
