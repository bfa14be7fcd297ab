// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tuning: for each problem tries every kernel that keeps the promise and the bits, with each tile and number of
// threads. Candidates far behind at the first timing are dropped and the others take turns. The winner is checked by
// the judge and timed again against the rules' choice, so that its gain is not luck.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "measure/basis/shapes.hpp"
#include "measure/turns/rounds.hpp"
#include "plan/store.hpp"

namespace tw::measure {

struct Tuning {
    const Backend* backend = nullptr;
    Task task{};
    std::vector<Shape> shapes{};
    double seconds = 60;  ///< for all shapes in all
};

struct TunedShape {
    Shape shape;
    std::string by_rules{},
        best{};     ///< the rules' choice and the winner: kernel, tile and threads; the same when nothing won
    int tried = 0;  ///< number of candidates
    double rules_gflops = 0, best_gflops = 0;
    bool is_better = false;  ///< faster beyond noise, so worth a record
    Tuned record{};

    /// The winner's speed over the rules', by samples taken after it had won.
    double gain() const { return rules_gflops > 0 ? best_gflops / rules_gflops : 1; }

    /// The gain that the user gets: only what is faster beyond noise is stored.
    double remembered_gain() const { return is_better ? gain() : 1; }
};

/// A Markdown table of the results, and two sentences that sum them up.
std::string tuned_in_markdown(const std::vector<TunedShape>& all);
std::string summary_of(const std::vector<TunedShape>& all);

std::vector<TunedShape> tune(const Tuning& asked, const Watch& watch,
                             const std::function<void(const TunedShape&)>& done);

}  // namespace tw::measure
