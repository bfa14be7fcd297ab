// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A matrix read whole into memory, for the verbs that don't work panel by panel.
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

/// Reads what open_matrix() names. `what` is for the sentence when there is no memory for it. Throws a Stop.
LoadedMatrix load_matrix(const std::string& word, Vector vector, const char* what);

/// The same as rows of f32, whatever the type in the file.
struct LoadedRows {
    std::vector<float> values{};
    std::int64_t rows = 0, cols = 0;
};
LoadedRows load_rows(const std::string& word, const char* what);

}  // namespace tw::cli
