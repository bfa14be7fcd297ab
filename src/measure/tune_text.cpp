// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What was tuned, as a table and as two sentences.
#include <fmt/format.h>

#include <algorithm>

#include "measure/basis/statistics.hpp"
#include "measure/tune.hpp"

namespace tw::measure {

std::string tuned_in_markdown(const std::vector<TunedShape>& all) {
    std::string text =
        "| M x N x K | by the rules | GFLOP/s | best found | GFLOP/s | ratio | |\n|---|---|--:|---|--:|--:|---|\n";
    for (const TunedShape& one : all)
        text += fmt::format("| {} x {} x {} | {} | {:.2f} | {} | {:.2f} | {:.3f} | {} |\n", one.shape.m, one.shape.n,
                            one.shape.k, one.by_rules, one.rules_gflops,
                            one.best == one.by_rules ? "the same" : one.best, one.best_gflops, one.gain(),
                            one.is_better              ? "quicker"
                            : one.best == one.by_rules ? ""
                                                       : "no difference beyond noise");
    return text;
}

std::string summary_of(const std::vector<TunedShape>& all) {
    if (all.empty()) return "";
    std::vector<double> shares, gains;
    constexpr double close = 0.97;  // of the best found
    int close_ones = 0, better = 0, tried = 0;
    for (const TunedShape& one : all) {
        shares.push_back(1 / std::max(one.gain(), 1.0));
        gains.push_back(one.remembered_gain());
        close_ones += shares.back() >= close;
        better += one.is_better;
        tried += one.tried;
    }
    return fmt::format(
        "{} of {} problems are quicker than by the rules, beyond noise; geometric mean of the gain {:.3f}x.\n"
        "The rules reach {:.1f} % of the best found (geometric mean; {:.1f} % at least), {} of {} within 3 %; {} "
        "candidates were tried.\n",
        better, all.size(), geometric_mean(gains), 100 * geometric_mean(shares),
        100 * *std::min_element(shares.begin(), shares.end()), close_ones, all.size(), tried);
}

}  // namespace tw::measure
