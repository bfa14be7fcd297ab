// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofline, error against speed, and the heat map of shapes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "measure/report.hpp"

namespace tw::measure {
namespace {

constexpr double width = 760, height = 430, left = 62, right = 24, top = 22, bottom = 52;

/// A logarithmic axis from pixel to pixel.
struct Axis {
    double low, high, from, to;
    double at(double value) const { return from + (to - from) * (std::log10(value) - std::log10(low)) / (std::log10(high) - std::log10(low)); }
};

double decade_below(double value) { return std::pow(10, std::floor(std::log10(value))); }
double decade_above(double value) { return std::pow(10, std::ceil(std::log10(value) + 1e-9)); }

std::string tick_text(double value) {
    return value >= 0.01 && value < 1e6 ? fmt::format("{:g}", value) : fmt::format("1e{:.0f}", std::log10(value));
}

std::string grid(const Axis& x, const Axis& y, const char* x_title, const char* y_title) {
    std::string text;
    for (double value = x.low; value <= x.high * 1.01; value *= 10)
        text += fmt::format("<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4}</text>", x.at(value),
                            top, height - bottom, height - bottom + 18, tick_text(value));
    for (double value = y.low; value <= y.high * 1.01; value *= 10)
        text += fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>", left, y.at(value),
                            width - right, left - 8, y.at(value) + 4, tick_text(value));
    return text + fmt::format("<text x=\"{:.0f}\" y=\"{}\" text-anchor=\"middle\">{}</text><text x=\"14\" y=\"{:.0f}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {:.0f})\">{}</text>",
                              (left + width - right) / 2, height - 8, x_title, (top + height - bottom) / 2, (top + height - bottom) / 2, y_title);
}

struct Mark {
    double x, y;
    std::string label;
    bool is_ours;
};

/// Labels beside their points, moved down until none lies on another.
std::string marks(std::vector<Mark> all) {
    std::sort(all.begin(), all.end(), [](const Mark& p, const Mark& q) { return p.y < q.y; });
    std::vector<std::array<double, 3>> taken;
    std::string text;
    for (const Mark& mark : all) {
        const double long_label = 6.6 * static_cast<double>(mark.label.size());
        const bool is_left = mark.x + 10 + long_label > width - right;
        const double start = is_left ? mark.x - 10 - long_label : mark.x + 10;
        double y = mark.y + 4;
        // A label is moved by more than what is too near, so that a rounding can't call it too near for ever.
        for (bool moved = true; moved;) {
            moved = false;
            for (const auto& [x0, x1, other] : taken)
                if (start < x1 && start + long_label > x0 && std::abs(other - y) < 13) y = other + 13.5, moved = true;
        }
        taken.push_back({start, start + long_label, y});
        text += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/><text class=\"strong\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", mark.is_ours ? "ours" : "theirs",
                            mark.x, mark.y, start, y, escaped(mark.label));
    }
    return text;
}

std::string svg(const std::string& label, const std::string& inside) {
    return fmt::format("<div class=\"scroll\"><svg class=\"chart\" style=\"min-width:36rem\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">{}</svg></div>\n", width, height, label, inside);
}

/// "cpu.r7_hierarchical.f32.avx2" is "r7 avx2" where there is little room.
std::string short_name(const std::string& kernel) {
    const std::size_t first = kernel.find('.'), low = kernel.find('_'), last = kernel.rfind('.');
    if (first == std::string::npos || low == std::string::npos || kernel.find(' ') != std::string::npos) return kernel.substr(0, kernel.find(' '));
    const std::string tail = kernel.substr(last + 1);
    return kernel.substr(first + 1, low - first - 1) + (tail == "f32" || tail == "f64" ? "" : " " + tail);
}

}  // namespace

std::string roofline_section(const ReportData& data) {
    if (data.points.empty()) return "";
    double least_x = 0.1, most_x = 10, least_y = 1, most_y = 10;
    for (const RooflinePoint& point : data.points) {
        least_x = std::min(least_x, point.intensity);
        most_x = std::max(most_x, point.intensity);
        least_y = std::min(least_y, point.attained);
        most_y = std::max({most_y, point.peak, point.attained});
    }
    const Axis x{decade_below(least_x), decade_above(most_x), left, width - right};
    const Axis y{decade_below(least_y), decade_above(most_y), height - bottom, top};
    std::string inside = grid(x, y, "flops for each byte read, by the rung's own count", "GFLOP/s");
    std::vector<std::pair<double, double>> drawn;
    for (const RooflinePoint& point : data.points) {
        if (point.bandwidth <= 0 || std::find(drawn.begin(), drawn.end(), std::pair(point.peak, point.bandwidth)) != drawn.end()) continue;
        drawn.emplace_back(point.peak, point.bandwidth);
        const double ridge = std::clamp(point.peak / point.bandwidth, x.low, x.high), start = std::max(x.low, y.low / point.bandwidth);
        inside += fmt::format("<path class=\"roof\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", x.at(start), y.at(start * point.bandwidth), x.at(ridge),
                              y.at(std::min(point.peak, ridge * point.bandwidth)), x.at(x.high), y.at(point.peak));
        inside += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{} GFLOP/s</text>", width - right - 4, y.at(point.peak) - 6, in_figures(point.peak));
        if (drawn.size() == 1)
            inside += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}: {} GB/s</text>", x.at(start) + 34, y.at(start * point.bandwidth) + 8, point.level, in_figures(point.bandwidth));
    }
    std::vector<Mark> all;
    for (const RooflinePoint& point : data.points) {
        inside += fmt::format("<line class=\"drop\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>", x.at(point.intensity), y.at(std::max(point.predicted, y.low)), y.at(point.attained));
        all.push_back({x.at(point.intensity), y.at(point.attained), short_name(point.kernel), true});
    }
    inside += marks(std::move(all));
    std::string text = "<p>A rung can't be quicker than its unit (flat) nor than memory feeds it (slope). The line above a point leads to what its count of bytes predicts.</p>\n";
    text += svg("Roofline: GFLOP/s against flops per byte for each rung; the table below has the figures", inside);
    text += "<details><summary>The same as a table</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Kernel</th><th scope=\"col\" class=\"n\">Flop/byte</th>"
            "<th scope=\"col\" class=\"n\">Predicted</th><th scope=\"col\" class=\"n\">Attained</th><th scope=\"col\">What bounds it</th></tr></thead><tbody>\n";
    for (const RooflinePoint& point : data.points)
        text += fmt::format("<tr><th scope=\"row\" class=\"mono\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n", point.kernel,
                            in_figures(point.intensity), in_figures(point.predicted), in_figures(point.attained), escaped(point.bound));
    return text + "</tbody></table></div></details>\n";
}

std::string accuracy_section(const ReportData& data) {
    std::vector<const Row*> rows;
    for (const Row& row : data.climb)
        if (row.is_timed() && row.relative_error > 0) rows.push_back(&row);
    if (rows.size() < 2) return "";
    double least_x = 1, most_x = 1e-20, least_y = 1e9, most_y = 0;
    for (const Row* row : rows) {
        least_x = std::min(least_x, row->relative_error);
        most_x = std::max(most_x, row->relative_error);
        least_y = std::min(least_y, row->gflops);
        most_y = std::max(most_y, row->gflops);
    }
    const Axis x{decade_below(least_x), decade_above(most_x), left, width - right};
    const Axis y{decade_below(least_y), decade_above(most_y), height - bottom, top};
    std::string inside = grid(x, y, "relative error against f64 (Frobenius); left is better", "GFLOP/s");
    std::vector<const Row*> by_error = rows;
    std::sort(by_error.begin(), by_error.end(), [](const Row* p, const Row* q) { return p->relative_error < q->relative_error; });
    std::string front;
    double best = 0;
    std::vector<Mark> all;
    for (const Row* row : by_error) {
        const double px = x.at(row->relative_error), py = y.at(row->gflops);
        if (row->gflops > best) {
            front += fmt::format("{}{:.1f} {:.1f}", front.empty() ? "M" : "L", px, py);
            best = row->gflops;
        }
        all.push_back({px, py, short_name(row->kernel), row->provider == "tilewright"});
    }
    inside += "<path class=\"front\" d=\"" + front + "\"/>" + marks(std::move(all));
    std::string text = "<p>Each kernel's error on the same operands, against its speed. Along the dotted line nothing is both quicker and closer.</p>\n";
    text += svg("GFLOP/s against relative error for each kernel; the table below has the figures", inside);
    text += "<details><summary>The same as a table</summary><div class=\"scroll\"><table><thead><tr><th scope=\"col\">Kernel</th><th scope=\"col\">Promise</th>"
            "<th scope=\"col\" class=\"n\">Relative error</th><th scope=\"col\" class=\"n\">GFLOP/s</th></tr></thead><tbody>\n";
    for (const Row* row : by_error)
        text += fmt::format("<tr><th scope=\"row\" class=\"mono\">{}</th><td>{}</td><td class=\"n\">{:.2e}</td><td class=\"n\">{}</td></tr>\n", escaped(row->kernel), row->accuracy,
                            row->relative_error, in_figures(row->gflops));
    return text + "</tbody></table></div></details>\n";
}

std::string shapes_section(const ReportData& data) {
    std::vector<std::string> shapes, providers;
    const auto shape_of = [](const Row& row) { return fmt::format("{} x {} x {}", row.m, row.n, row.k); };
    const auto once = [](std::vector<std::string>& all, const std::string& one) {
        if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
    };
    for (const Row& row : data.shapes) {
        if (!row.is_timed()) continue;
        once(shapes, shape_of(row));
        once(providers, row.provider);
    }
    if (shapes.empty() || providers.size() < 2) return "";
    const auto best_of = [&](const std::string& shape, const std::string& provider) {
        double best = 0;
        for (const Row& row : data.shapes)
            if (row.is_timed() && shape_of(row) == shape && row.provider == provider) best = std::max(best, row.gflops);
        return best;
    };
    std::string text = "<p>GFLOP/s of each library on each shape, timed in turns. A filled cell says how far it is ahead of the best other (green) or behind it (brown).</p>\n"
                       "<div class=\"scroll\"><table class=\"heat\"><thead><tr><th scope=\"col\">M x N x K</th>";
    for (const std::string& provider : providers) text += fmt::format("<th scope=\"col\" class=\"n\">{}</th>", escaped(provider));
    text += "</tr></thead><tbody>\n";
    for (const std::string& shape : shapes) {
        text += fmt::format("<tr><th scope=\"row\">{}</th>", shape);
        for (const std::string& provider : providers) {
            const double own = best_of(shape, provider);
            double other = 0;
            for (const std::string& rival : providers)
                if (rival != provider) other = std::max(other, best_of(shape, rival));
            const double lead = own > 0 && other > 0 ? std::log2(own / other) : 0;
            text += own > 0 ? fmt::format("<td style=\"background:rgb(var(--{}) / {:.2f})\">{}</td>", lead >= 0 ? "good" : "bad", std::min(0.5, std::abs(lead) / 3), in_figures(own))
                            : std::string("<td>not measured</td>");
        }
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

}  // namespace tw::measure
