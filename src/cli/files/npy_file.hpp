// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// An .npy file as a matrix.
#pragma once

#include <string>

#include "cli/files/matrix_file.hpp"

namespace tw::cli {

/// How to read a file of one dimension.
enum class Vector { row, column };

class NpyFile : public MatrixFile {
public:
    NpyFile(std::string path, Vector vector);
};

}  // namespace tw::cli
