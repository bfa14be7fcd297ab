// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The epilogue on the host, either in the pass that completes a tile of C or in a pass of its own. Each element is
// computed independently and in f64, so neither that choice nor how C is cut changes the bits.
#pragma once

#include <complex>
#include <cstdint>

#include "tilewright/epilogue.hpp"

namespace tw {

/// C = epilogue(beta * C), C not read when beta is 0. `c` is the block at (row, col) of the C that the epilogue is for.
void finish(const Matrix& c, double beta, const Epilogue& epilogue, std::int64_t row = 0,
            std::int64_t col = 0) noexcept;

/// The same where C is complex, whose epilogue has a scale and a residual alone.
void finish_complex(const Matrix& c, std::complex<double> beta, const Epilogue& epilogue, std::int64_t row = 0,
                    std::int64_t col = 0) noexcept;

}  // namespace tw
