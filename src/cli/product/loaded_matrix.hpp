// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A matrix read into memory as a whole, for verbs that do not work panel by panel.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/files/open_matrix.hpp"

namespace tw::cli {

struct LoadedMatrix {
    std::unique_ptr<std::byte[]> memory{};
    Matrix matrix{};
};

/// Reads the matrix that open_matrix() opens. `what` names it in the message when memory is short. Throws a Stop.
LoadedMatrix load_matrix(const std::string& word, Vector vector, const char* what);

/// The same as rows of f32, whatever the type in the file.
struct LoadedRows {
    std::vector<float> values{};
    std::int64_t rows = 0, cols = 0;
};
LoadedRows load_rows(const std::string& word, const char* what);

}  // namespace tw::cli
