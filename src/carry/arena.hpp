// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Cuts one scratch buffer into matrices, each aligned to a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/view.hpp"

namespace tw {

/// Also the alignment of rows that copy engines are fastest with.
inline constexpr std::size_t line = 128;
constexpr std::size_t in_lines(std::size_t bytes) noexcept { return (bytes + line - 1) / line * line; }

/// The caller's memory may begin anywhere: the part from its first line on.
inline std::span<std::byte> from_first_line(std::span<std::byte> memory) noexcept {
    const std::size_t before = (line - reinterpret_cast<std::uintptr_t>(memory.data()) % line) % line;
    return before < memory.size() ? memory.subspan(before) : std::span<std::byte>();
}

constexpr std::size_t matrix_bytes(Type type, std::int64_t rows, std::int64_t cols) noexcept {
    return in_lines(static_cast<std::size_t>(rows * cols) * size_of(type));
}

class Arena {
public:
    explicit Arena(std::span<std::byte> scratch) : rest_(scratch) {}

    Matrix row_major(Type type, std::int64_t rows, std::int64_t cols) noexcept {
        const Matrix matrix{rest_.data(), type, rows, cols, cols};
        rest_ = rest_.subspan(matrix_bytes(type, rows, cols));
        return matrix;
    }
    std::span<std::byte> rest() const noexcept { return rest_; }

private:
    std::span<std::byte> rest_;
};

}  // namespace tw
