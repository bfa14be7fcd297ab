// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The one way of the command to open a matrix, whatever the format of its file.
#pragma once

#include <string>

#include "cli/files/matrix_file.hpp"
#include "cli/files/npy_file.hpp"

namespace tw::cli {

/// "W.npy", "W.safetensors:NAME" for one of its tensors, or "W.safetensors" when it has only one of numbers that tw
/// multiplies. A tensor has at most two dimensions; one of one dimension stands for what `vector` says. Throws a Stop.
MatrixFile open_matrix(const std::string& word, Vector vector);

}  // namespace tw::cli
