// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tuning: for each problem, every kernel that keeps the promise and the bits, with each of its tiles and numbers of
// threads. Who is far behind at the first look is dropped; the others take turns; whoever wins is judged, and then
// timed once more against the rules' own choice, so that the gain is not the luck that made it win.
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
    double seconds = 60;  ///< for all shapes together
};

struct TunedShape {
    Shape shape;
    std::string by_rules{},
        best{};     ///< the rules' choice and the winner: kernel, tile and threads; the same when nothing won
    int tried = 0;  ///< how many were looked at
    double rules_gflops = 0, best_gflops = 0;
    bool is_better = false;  ///< beyond noise: worth a record
    Tuned record{};

    /// Of the winner over the rules, by samples taken after it had won.
    double gain() const { return rules_gflops > 0 ? best_gflops / rules_gflops : 1; }

    /// What the user gets: nothing is remembered that is not quicker beyond noise.
    double remembered_gain() const { return is_better ? gain() : 1; }
};

/// A Markdown table of what was found, and two sentences that sum it up.
std::string tuned_in_markdown(const std::vector<TunedShape>& all);
std::string summary_of(const std::vector<TunedShape>& all);

std::vector<TunedShape> tune(const Tuning& asked, const Watch& watch,
                             const std::function<void(const TunedShape&)>& done);

}  // namespace tw::measure
