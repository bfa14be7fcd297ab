// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A peer opened in this process: its symbols, what it says of itself, and one call that multiplies.
#pragma once

#include <functional>
#include <string>

#include "measure/basis/operands.hpp"
#include "measure/peers/search.hpp"

namespace tw::measure {

struct PeerLibrary {
    std::string file;  ///< the path that the loader took
    std::string found_by;
    std::string version;
    std::string core_type;  ///< which kernels it chose for this processor, in its own words
    std::string trouble;    ///< why it can't be used; empty when it can

    /// C = A B, row-major, of the operands' type; empty when it has no call for that type.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c)> f32, f64;

    /// So many of them, whose operands lie one behind the other; empty when it has no call for batches.
    std::function<bool(const Matrix& a, const Matrix& b, const Matrix& c, std::int64_t products)> f32_batch, f64_batch;
};

/// Opens the first candidate that opens, locally, with `threads` threads. Environment variables are set for it: call
/// this in a process of its own.
PeerLibrary open_peer(const PeerKind& kind, int threads);

}  // namespace tw::measure
