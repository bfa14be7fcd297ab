// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The benchmark: all entrants on all shapes, checked by the judge and interleaved, with the roofs measured in every
// round.
#pragma once

#include <string>
#include <vector>

#include "measure/basis/shapes.hpp"
#include "measure/peers/process.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

struct Bench {
    const Backend* backend = nullptr;
    Task task{};  ///< its shape is replaced by each of the shapes
    std::vector<Shape> shapes{};
    std::vector<std::string> kernels{};  ///< empty: what multiply() chooses
    std::vector<std::shared_ptr<PeerProcess>> peers{};
    bool has_mps = false;  ///< on Metal, also measure Apple's own product
    Budget budget{};       ///< for each shape
    bool is_judged = true;
    // Beside what multiply() chooses:
    bool is_also_reproducible = false;  ///< also what it chooses for reproducible results
    bool is_also_on_one_thread = false;
    int callers = 0;  ///< so many calls at once in an OpenMP region, each on one thread
};

/// Calls `done` with the run after each shape, so that it can be printed.
void bench(const Bench& asked, const Watch& watch, Run& run, const std::function<void(const Run&)>& done);

}  // namespace tw::measure
