// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An .npy file as a matrix that is read block by block. It is never mapped: a mapped file that somebody truncates kills
// its reader. Whatever is wrong with it ends in a Stop that names the file and the byte.
#pragma once

#include <cstdint>
#include <ctime>
#include <string>

#include "cli/files/descriptor.hpp"
#include "cli/files/npy_header.hpp"
#include "tilewright/view.hpp"

namespace tw::cli {

/// What a file of one dimension stands for.
enum class Vector { row, column };

class NpyFile {
public:
    NpyFile(std::string path, Vector vector);

    const std::string& path() const noexcept { return path_; }
    Type type() const noexcept { return header_.type; }
    std::int64_t rows() const noexcept { return rows_; }
    std::int64_t cols() const noexcept { return cols_; }
    std::int64_t data_bytes() const noexcept { return header_.data_bytes(); }
    bool is_row_major() const noexcept { return !header_.fortran_order; }

    /// Reads the block whose corner is (i, j) into `memory`, in the file's own order, and says how it lies there.
    Matrix read(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols, void* memory) const;

    /// Refuses a file that was written to since it was opened.
    void check_unchanged() const;

private:
    void open_and_check();
    std::string read_header() const;
    void read_bytes(std::int64_t offset, std::int64_t count, char* memory) const;
    [[noreturn]] void refuse_at(std::int64_t offset, const std::string& what_is_wrong) const;

    std::string path_;
    Descriptor file_;
    std::int64_t file_bytes_ = 0;
    timespec written_{};
    NpyHeader header_;
    std::int64_t rows_ = 0, cols_ = 0;
};

}  // namespace tw::cli
