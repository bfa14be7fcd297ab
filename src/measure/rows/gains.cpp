// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/gains.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace tw::measure {
namespace {

/// The last word of a kernel's name where that is an instruction set; "" for what runs on any processor of its kind.
std::string_view set_of(std::string_view kernel) {
    const std::string_view last = kernel.substr(kernel.rfind('.') + 1);
    for (const std::string_view set : {"avx2", "avx512", "amx", "neon"})
        if (last == set) return set;
    return {};
}

/// GFLOP/s of a thread, by instruction set.
using Best = std::map<std::string_view, double>;

double best_for(const Best& below, std::string_view set) {
    if (const auto found = below.find(set); found != below.end()) return found->second;
    double best = 0;
    for (const auto& [name, speed] : below) best = std::max(best, speed);
    return best;
}

}  // namespace

std::vector<double> gains_of(std::span<const Row> rows) {
    std::vector<double> gains(rows.size());
    Best below, here;
    std::string rung;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const Row& row = rows[i];
        if (row.provider != "tilewright" || !row.is_timed() || !row.is_a_step()) continue;
        if (row.rung != rung) below = std::move(here), here.clear(), rung = row.rung;
        const std::string_view set = set_of(row.kernel);
        const double speed = row.gflops / row.threads;
        if (const double best = best_for(below, set); best > 0) gains[i] = speed / best;
        double& most = here[set];
        most = std::max(most, speed);
    }
    return gains;
}

}  // namespace tw::measure
