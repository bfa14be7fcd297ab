// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/survey/networks.hpp"

namespace tw::measure {
namespace {

std::vector<std::string> layers() {
    std::vector<std::string> names;
    for (const Layer& layer : llama3_8b) names.emplace_back(layer.of);
    for (const Layer& layer : llama3_70b) names.emplace_back(layer.of);
    return names;
}

/// One grid; "" when none of its shapes has a ratio.
std::string grid_of(const std::vector<Outcome>& outcomes, const Kind& kind, bool by_columns) {
    std::map<std::int64_t, std::map<std::string, double>> grid;
    for (const Outcome& one : outcomes)
        if (one.has_ratio() && one.what.kind == &kind && one.what.b.by_columns == by_columns)
            grid[one.what.m][one.what.family] = one.ratio();
    if (grid.empty()) return "";
    std::string text = fmt::format("{:<18}", fmt::format("{} {}", kind.name, by_columns ? "NT" : "NN"));
    for (const std::string& layer : layers()) text += fmt::format(" {:>11}", layer);
    text += "\n";
    for (const auto& [tokens, row] : grid) {
        text += fmt::format("{:<18}", tokens);
        for (const std::string& layer : layers()) {
            const auto cell = row.find(layer);
            text += fmt::format(" {:>11}", cell == row.end() ? "" : fmt::format("{:.2f}", cell->second));
        }
        text += "\n";
    }
    return text + "\n";
}

}  // namespace

bool is_decoding(const std::vector<Outcome>& outcomes) {
    const std::vector<std::string> names = layers();
    return std::ranges::all_of(
        outcomes, [&](const Outcome& one) { return std::ranges::find(names, one.what.family) != names.end(); });
}

std::string grids_of(const std::vector<Outcome>& outcomes) {
    std::string text;
    for (const Kind& kind : every_kind())
        for (const bool by_columns : {true, false}) text += grid_of(outcomes, kind, by_columns);
    return text;
}

}  // namespace tw::measure
