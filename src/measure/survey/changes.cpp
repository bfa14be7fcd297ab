// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "measure/basis/statistics.hpp"

namespace tw::measure {
namespace {

constexpr double noise = 0.04;
constexpr std::size_t most_told = 20;

std::string line_of(const Change& change) {
    const Outcome &now = *change.now, &before = *change.before;
    const std::string kernels =
        now.kernel == before.kernel ? now.kernel : fmt::format("{} (was {})", now.kernel, before.kernel);
    std::string ratios;
    if (now.has_ratio() && before.has_ratio()) ratios = fmt::format("{:.2f} -> {:.2f}", before.ratio(), now.ratio());
    return fmt::format("{:<16} {:<42} {:>5.2f}x {:>14} {}\n", now.what.kind->name, now.what.text(), change.ratio(),
                       ratios, kernels);
}

}  // namespace

double Change::ratio() const { return median(before->seconds) / median(now->seconds); }

std::vector<Change> changes(const std::vector<Outcome>& now, const std::vector<Outcome>& before) {
    std::vector<Change> found;
    for (const Outcome& one : now) {
        const auto old = std::ranges::find_if(
            before, [&](const Outcome& other) { return other.is_timed() && other.what == one.what; });
        if (one.is_timed() && old != before.end()) found.push_back({&one, &*old});
    }
    std::ranges::stable_sort(found, [](const Change& x, const Change& y) { return x.ratio() < y.ratio(); });
    return found;
}

std::string text_of(const std::vector<Change>& changes) {
    if (changes.empty()) return "The baseline has none of these shapes\n";
    std::string text = "Against the baseline:\n";
    std::map<std::string, std::vector<double>> by_kind;
    for (const Change& change : changes) by_kind[change.now->what.kind->name].push_back(change.ratio());
    for (const auto& [kind, ratios] : by_kind)
        text += fmt::format("{:<18} {:>6} shapes, {:.3f}x\n", kind, ratios.size(), geometric_mean(ratios));
    const auto first_quicker = std::ranges::find_if(changes, [](const Change& one) { return one.ratio() > 1 + noise; }),
               first_alike = std::ranges::find_if(changes, [](const Change& one) { return one.ratio() >= 1 - noise; });
    const std::span slower(changes.begin(), first_alike), quicker(first_quicker, changes.end());
    text += fmt::format("{} slower by more than {:.0f} %:\n", slower.size(), 100 * noise);
    for (const Change& one : slower.first(std::min(slower.size(), most_told))) text += line_of(one);
    text += fmt::format("{} quicker by more than {:.0f} %:\n", quicker.size(), 100 * noise);
    const auto most = quicker.last(std::min(quicker.size(), most_told));
    for (auto one = most.rbegin(); one != most.rend(); ++one) text += line_of(*one);
    return text;
}

}  // namespace tw::measure
