// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Opens a matrix for the command, whatever the format of its file.
#pragma once

#include <string>

#include "cli/files/matrix_file.hpp"
#include "cli/files/npy_file.hpp"
#include "cli/files/safetensors_header.hpp"

namespace tw::cli {

/// "W.npy", "W.safetensors:NAME" for one of its tensors, or "W.safetensors" if only one of its tensors has a type that
/// tw multiplies. A tensor may have two dimensions, or one, which is read as `vector` says. Throws a Stop.
MatrixFile open_matrix(const std::string& word, Vector vector);

/// All tensors of a .safetensors file, in the order of their data. Throws a Stop.
std::vector<SafeTensor> safetensors_of(const InputFile& file);

}  // namespace tw::cli
