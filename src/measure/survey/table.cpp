// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "measure/basis/statistics.hpp"
#include "measure/survey/families.hpp"
#include "measure/survey/grid.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t worst_told = 20;

/// Adds nothing when no outcome is in it.
void add_line(std::vector<Line>& lines, const std::string& name, const std::vector<Outcome>& outcomes,
              const std::function<bool(const Outcome&)>& is_in) {
    std::vector<double> ratios;
    for (const Outcome& one : outcomes)
        if (one.has_ratio() && is_in(one)) ratios.push_back(one.ratio());
    if (ratios.empty()) return;
    const auto share = [&](double least) {
        return static_cast<double>(std::ranges::count_if(ratios, [&](double ratio) { return ratio >= least; })) /
               static_cast<double>(ratios.size());
    };
    lines.push_back({.name = name,
                     .count = static_cast<std::int64_t>(ratios.size()),
                     .at_97 = share(0.97),
                     .at_95 = share(0.95),
                     .at_90 = share(0.90),
                     .at_80 = share(0.80),
                     .geometric_mean = geometric_mean(ratios),
                     .least = *std::ranges::min_element(ratios)});
}

std::string table_of_kinds(const std::vector<Outcome>& outcomes) {
    std::string text = fmt::format("{:<18} {:>6} {:>8} {:>8} {:>8} {:>8} {:>15} {:>7}\n", "type", "shapes", ">= 0.97",
                                   ">= 0.95", ">= 0.90", ">= 0.80", "geometric mean", "least");
    for (const Line& line : lines_by_kind(outcomes)) {
        text += fmt::format("{:<18} {:>6}", line.name, line.count);
        for (const double share : {line.at_97, line.at_95, line.at_90, line.at_80})
            text += fmt::format(" {:>6.1f} %", 100 * share);
        text += fmt::format(" {:>15.3f} {:>7.2f}\n", line.geometric_mean, line.least);
    }
    return text;
}

std::vector<std::string> families_in(const std::vector<Outcome>& outcomes) {
    std::vector<std::string> names;
    for (const Outcome& one : outcomes)
        if (std::ranges::find(names, one.what.family) == names.end()) names.emplace_back(one.what.family);
    std::ranges::sort(names);
    return names;
}

std::string table_of_families(const std::vector<Outcome>& outcomes) {
    const std::vector<Line> kinds = lines_by_kind(outcomes);
    std::string text = fmt::format("{:<18}", "geometric means");
    for (const Line& kind : kinds) text += fmt::format(" {:>16}", kind.name);
    text += "\n";
    for (const std::string& family : families_in(outcomes)) {
        text += fmt::format("{:<18}", family);
        for (const Line& kind : kinds) {
            std::string cell;
            for (const Line& line : lines_by_family(outcomes, kind.name))
                if (line.name == family) cell = fmt::format("{:.2f} of {:>3}", line.geometric_mean, line.count);
            text += fmt::format(" {:>16}", cell);
        }
        text += "\n";
    }
    return text;
}

std::string worst_of(const std::vector<Outcome>& outcomes) {
    std::vector<const Outcome*> order;
    for (const Outcome& one : outcomes)
        if (one.has_ratio()) order.push_back(&one);
    std::ranges::stable_sort(order, [](const Outcome* x, const Outcome* y) { return x->ratio() < y->ratio(); });
    order.resize(std::min(order.size(), worst_told));
    std::string text;
    for (const Outcome* one : order) text += line_of(*one) + "\n";
    return text;
}

std::string troubled(const std::vector<Outcome>& outcomes) {
    std::string text;
    for (const Outcome& one : outcomes)
        if (!one.trouble.empty()) text += line_of(one) + "\n";
    return text;
}

std::string time_of(double seconds) {
    return seconds < 1e-3 ? fmt::format("{:.1f} us", seconds * 1e6) : fmt::format("{:.2f} ms", seconds * 1e3);
}

}  // namespace

std::vector<Line> lines_by_kind(const std::vector<Outcome>& outcomes) {
    std::vector<Line> lines;
    for (const Kind& kind : every_kind())
        add_line(lines, kind.name, outcomes, [&](const Outcome& one) { return one.what.kind == &kind; });
    return lines;
}

std::vector<Line> lines_by_family(const std::vector<Outcome>& outcomes, const std::string& kind) {
    std::vector<Line> lines;
    for (const std::string& family : families_in(outcomes))
        add_line(lines, family, outcomes,
                 [&](const Outcome& one) { return one.what.kind->name == kind && one.what.family == family; });
    return lines;
}

std::string line_of(const Outcome& one) {
    const std::string shape = one.what.text(), what = fmt::format("{:<16} {:<42}", one.what.kind->name, shape);
    if (!one.trouble.empty())
        return fmt::format("{} {}{}  {}", what, one.is_wrong ? "WRONG: " : "", one.trouble, one.kernel);
    const std::string rate = fmt::format("{:>9.1f} GFLOP/s", one.gflops());
    if (!one.has_ratio()) return fmt::format("{} {:>10} {} {}", what, time_of(median(one.seconds)), rate, one.kernel);
    return fmt::format("{} {:>5.2f}{} {:>10} {:>10} {} {}, {}{}{}", what, one.ratio(), one.is_recorded ? "g" : " ",
                       time_of(median(one.seconds)), time_of(median(one.peer_seconds)), rate, one.kernel, one.peer,
                       one.note.empty() ? "" : ", ", one.note);
}

std::string table_of(const std::vector<Outcome>& outcomes) {
    std::string text;
    if (!lines_by_kind(outcomes).empty())
        text += table_of_kinds(outcomes) + "\n" +
                (is_decoding(outcomes) ? grids_of(outcomes) : table_of_families(outcomes)) + "\nThe worst:\n" +
                worst_of(outcomes);
    if (const std::string failed = troubled(outcomes); !failed.empty()) text += "\nNot timed:\n" + failed;
    return text;
}

}  // namespace tw::measure
