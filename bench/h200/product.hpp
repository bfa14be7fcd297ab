// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product beside cuBLAS: right first (against f64, and all ones), then timed in both regimes.
#pragma once

#include <string>
#include <vector>

#include "device_data.hpp"
#include "tilewright/plan.hpp"
#include "tilewright/types.hpp"

namespace bench {

struct Case {
    std::string row;     ///< of the table: "a", "b", ...
    std::string kernel;  ///< a row of the ladder, or empty for the library's own choice
    int m = 0, n = 0, k = 0;
    tw::Type in = tw::Type::f32, out = tw::Type::f32;
    Compute peer = Compute::f32;  ///< what cuBLAS is asked for
    bool b_k_major = true;        ///< B lies n x k with k contiguous, as weights do
    Values values = Values::normal;
    tw::Accuracy accuracy{};
    bool with_burst = false;
    bool reproducible = false;
    tw::Tile tile{};  ///< not empty: instead of the row's first
    double turn_ms = 300;
    std::int64_t batch = 1;  ///< products of this shape in one call
};

struct Result {
    Case what;
    std::string kernel;
    bool right = false;
    Error error, peer_error;
    double ms = 0, peer_ms = 0, burst_ms = 0, peer_burst_ms = 0;

    double teraflops(double milliseconds) const {
        return milliseconds > 0 ? 2e-9 * what.m * what.n * static_cast<double>(what.k) *
                                      static_cast<double>(what.batch) / milliseconds
                                : 0;
    }
    /// The weights' bytes, TB/s.
    double terabytes(double milliseconds) const {
        return milliseconds > 0
                   ? 1e-9 * what.n * static_cast<double>(what.k) * static_cast<double>(size_of(what.in)) / milliseconds
                   : 0;
    }
};

Result measure(const Cublas& cublas, const Case& what);

/// The largest errors over so many seeds, ours and cuBLAS's; nothing is timed.
struct Worst {
    Error ours, peer;
    bool ran = true;
};
Worst worst_errors(const Cublas& cublas, const Case& what, int seeds);

/// Milliseconds with `reproducible` and without, in turns: the library's own choice of a kernel in both.
struct Price {
    double reproducible_ms = 0, free_ms = 0;
};
Price price_of_same_bits(const Case& what);

void print(const Result& result);

/// The whole list as JSON, provider "cublas" beside "tilewright".
std::string json(const std::vector<Result>& results);

}  // namespace bench
