// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A matrix in a file of any format, read block by block: it knows where the elements begin, their type and their order.
#pragma once

#include <cstdint>
#include <string>

#include "cli/files/input_file.hpp"
#include "tilewright/view.hpp"

namespace tw::cli {

/// Where a matrix lies in its file.
struct Stored {
    Type type = Type::f32;
    std::int64_t rows = 0, cols = 0;
    bool by_rows = true;
    std::int64_t offset = 0;  ///< of the first element

    std::int64_t bytes() const noexcept { return rows * cols * static_cast<std::int64_t>(size_of(type)); }
};

class MatrixFile {
public:
    MatrixFile(InputFile file, const Stored& stored) : file_(std::move(file)), stored_(stored) {}

    const std::string& path() const noexcept { return file_.path(); }
    Type type() const noexcept { return stored_.type; }
    std::int64_t rows() const noexcept { return stored_.rows; }
    std::int64_t cols() const noexcept { return stored_.cols; }
    std::int64_t data_bytes() const noexcept { return stored_.bytes(); }
    bool is_row_major() const noexcept { return stored_.by_rows; }

    /// Reads the block with corner (i, j) into `memory`, in the file's order, and returns its layout there.
    Matrix read(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols, void* memory) const;

    /// Refuses a file that was written to since it was opened.
    void check_unchanged() const { file_.check_unchanged(stored_.offset); }

private:
    InputFile file_;
    Stored stored_;
};

}  // namespace tw::cli
