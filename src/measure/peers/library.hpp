// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer's library opened in this process: its version, and functions that multiply.
#pragma once

#include <functional>
#include <string>

#include "measure/basis/operands.hpp"
#include "measure/peers/search.hpp"

namespace tw::measure {

struct PeerLibrary {
    std::string file;  ///< the path that the loader found
    std::string found_by;
    std::string version;
    std::string core_type;  ///< the kernels that it chose for this processor, by its own name
    std::string trouble;    ///< why it can't be used; empty when it can

    /// C = A B, row-major, of the operands' type; empty when it has no call for that type.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c)> f32, f64;

    /// A batch with contiguous operands; empty when it has no function for batches.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products)> f32_batch, f64_batch;
};

/// Opens the first candidate that works (RTLD_LOCAL), with `threads` threads. It sets environment variables, so call it
/// in a separate process.
PeerLibrary open_peer(const PeerKind& kind, int threads);

}  // namespace tw::measure
