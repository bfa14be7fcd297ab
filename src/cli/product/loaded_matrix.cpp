// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/product/loaded_matrix.hpp"

#include <new>

#include "cli/ending/exit.hpp"
#include "cli/files/quoted.hpp"
#include "plan/operands.hpp"

namespace tw::cli {

LoadedMatrix load_matrix(const std::string& word, Vector vector, const char* what) {
    const MatrixFile file = open_matrix(word, vector);
    LoadedMatrix loaded;
    loaded.memory.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(file.data_bytes())]);
    if (!loaded.memory) fail("no memory for {}, the {} bytes of {}", what, file.data_bytes(), quoted_path(word));
    loaded.matrix = file.read(0, 0, file.rows(), file.cols(), loaded.memory.get());
    file.check_unchanged();
    return loaded;
}

LoadedRows load_rows(const std::string& word, const char* what) {
    const LoadedMatrix loaded = load_matrix(word, Vector::row, what);
    LoadedRows rows{{}, loaded.matrix.rows, loaded.matrix.cols};
    rows.values.resize(static_cast<std::size_t>(rows.rows * rows.cols));
    convert({rows.values.data(), Type::f32, rows.rows, rows.cols, rows.cols, 1}, loaded.matrix);
    return rows;
}

}  // namespace tw::cli
