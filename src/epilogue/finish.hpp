// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The epilogue on the host: in the pass that completes a tile of C, or in one of its own. Each element by itself and in
// f64, so the bits don't depend on which, nor on how C is cut.
#pragma once

#include <cstdint>

#include "tilewright/epilogue.hpp"

namespace tw {

/// C = epilogue(beta * C), C not read when beta is 0. `c` is the block at (row, col) of the C that the epilogue is for.
void finish(const Matrix& c, double beta, const Epilogue& epilogue, std::int64_t row = 0,
            std::int64_t col = 0) noexcept;

}  // namespace tw
