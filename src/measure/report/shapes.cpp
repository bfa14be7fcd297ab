// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Shapes against peers: a heat map that is a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

std::string shape_of(const Row& row) { return fmt::format("{} × {} × {}", row.m, row.n, row.k); }

double best_of(const ReportData& data, const std::string& shape, const std::string& provider) {
    double best = 0;
    for (const Row& row : data.shapes)
        if (row.is_timed() && row.provider == provider && shape_of(row) == shape) best = std::max(best, row.gflops);
    return best;
}

/// Its colour and its text say how far it is ahead of the best peer or behind it.
std::string cell(double own, double other) {
    if (own <= 0) return "<td class=\"none\">not measured</td>";
    if (other <= 0) return fmt::format("<td>{}</td>", in_figures(own));
    const double lead = std::log2(own / other);
    return fmt::format("<td style=\"background:rgb(var(--{}) / {:.2f})\">{} <small>{:.2f}×</small></td>",
                       lead >= 0 ? "good" : "bad", std::min(0.55, std::abs(lead) / 2.5), in_figures(own), own / other);
}

}  // namespace

std::string shapes_section(const ReportData& data) {
    std::vector<std::string> shapes, providers;
    const auto once = [](std::vector<std::string>& all, const std::string& one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    };
    for (const Row& row : data.shapes)
        if (row.is_timed()) once(shapes, shape_of(row)), once(providers, row.provider);
    if (shapes.empty()) return "";
    const bool has_rivals = providers.size() > 1;
    std::string text = has_rivals ? "<p>GFLOP/s of each library on each shape, timed in turns, and how many times the "
                                    "best of the others that is.</p>\n"
                                    "<p class=\"key\"><span><i class=\"ahead\"></i>ahead of the best "
                                    "other</span><span><i class=\"behind\"></i>behind it</span></p>\n"
                                  : "<p>GFLOP/s on each shape. No other library was measured beside it.</p>\n";
    text += "<div class=\"scroll\" tabindex=\"0\"><table class=\"heat\"><thead><tr><th scope=\"col\">M × N × K</th>";
    for (const std::string& provider : providers)
        text += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escaped(provider));
    text += "</tr></thead><tbody>\n";
    for (const std::string& shape : shapes) {
        text += fmt::format("<tr><th scope=\"row\">{}</th>", shape);
        for (const std::string& provider : providers) {
            double other = 0;
            for (const std::string& rival : providers)
                if (rival != provider) other = std::max(other, best_of(data, shape, rival));
            text += cell(best_of(data, shape, provider), other);
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

}  // namespace tw::measure
