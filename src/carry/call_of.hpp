// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "backend/contract.hpp"
#include "tilewright/options.hpp"

namespace tw {

/// A product as the options have it, on one thread and without scratch: those are for the caller to add.
inline Call call_of(const Options& options, const Matrix& a, const Matrix& b, const Matrix& c) noexcept {
    return {.a = a,
            .b = b,
            .c = c,
            .alpha = options.alpha,
            .beta = options.beta,
            .alpha_imag = options.alpha_imag,
            .beta_imag = options.beta_imag,
            .epilogue = options.epilogue,
            .stream = options.stream,
            .reproducible = options.reproducible};
}

}  // namespace tw
