// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/files/matrix_file.hpp"

namespace tw::cli {

Matrix MatrixFile::read(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t cols, void* memory) const {
    const bool by_rows = is_row_major();
    const auto size = static_cast<std::int64_t>(size_of(type()));
    const std::int64_t lines = by_rows ? rows : cols, length = by_rows ? cols : rows;
    const std::int64_t first_line = by_rows ? i : j, first_in_line = by_rows ? j : i;
    const std::int64_t whole_length = by_rows ? stored_.cols : stored_.rows;

    const auto offset_of = [&](std::int64_t line) {
        return stored_.offset + ((first_line + line) * whole_length + first_in_line) * size;
    };
    char* to = static_cast<char*>(memory);
    if (length == whole_length) {
        file_.read(offset_of(0), lines * length * size, to);
    } else {
        for (std::int64_t line = 0; line < lines; ++line, to += length * size)
            file_.read(offset_of(line), length * size, to);
    }
    return by_rows ? Matrix{memory, type(), rows, cols, length, 1} : Matrix{memory, type(), rows, cols, 1, length};
}

}  // namespace tw::cli
