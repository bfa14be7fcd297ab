// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands in memory that bites: a page without access right after the last element (or right before the first),
// and every byte that belongs to no element set so that reading it gives NaN and writing it shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tilewright/view.hpp"

namespace tw::test {

/// How a matrix lies in memory.
struct Lie {
    bool columns = false;      ///< column-major
    std::int64_t padding = 0;  ///< elements between the end of a row (column) and the next
    std::int64_t gap = 1;      ///< step within a row (column)
    bool reversed = false;     ///< the last row comes first in memory: the row step is negative
    bool at_start = false;     ///< the page without access lies before the first element instead of after the last
    bool conj = false;         ///< a complex matrix counts as its conjugate

    std::string text() const;
};

/// The bytes from the lowest element of a matrix to the end of its highest.
std::span<std::byte> extent_of(const Matrix& matrix) noexcept;

/// Pages with one of no access on either side.
class GuardedPages {
public:
    explicit GuardedPages(std::size_t bytes, bool at_start = false);
    ~GuardedPages();
    GuardedPages(GuardedPages&& other) noexcept;
    GuardedPages& operator=(GuardedPages&&) = delete;

    /// `bytes` bytes that touch a forbidden page; empty when there is no memory. Zero until written.
    std::span<std::byte> bytes() const noexcept { return bytes_; }

private:
    std::span<std::byte> mapped_, bytes_;
};

class GuardedMatrix {
public:
    GuardedMatrix(Type type, std::int64_t rows, std::int64_t cols, const Lie& lie = {});

    const Matrix& matrix() const noexcept { return matrix_; }
    operator const Matrix&() const noexcept { return matrix_; }

    /// False when the address space has no room for the steps asked for.
    bool exists() const noexcept { return !pages_.bytes().empty(); }

    /// Remembers every byte, for the two questions below. Not of a matrix that is mostly holes: both are then true.
    void remember();
    bool is_unchanged() const noexcept;
    bool padding_is_unchanged() const;

private:
    bool is_sparse() const noexcept;

    GuardedPages pages_;
    Matrix matrix_;
    std::vector<std::byte> remembered_;
};

}  // namespace tw::test
