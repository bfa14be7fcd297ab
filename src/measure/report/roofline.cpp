// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofline: the rates that units and memory allow, and each rung as a point below.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "measure/report/chart.hpp"
#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

using Points = std::vector<const RooflinePoint*>;

struct Span {
    double low = 1e300, high = 0;
    void hold(double value) { low = std::min(low, value), high = std::max(high, value); }
};

/// The names of the slopes, the steepest first, above all of them: no point can be there.
std::string slopes(const Frame& frame, const Axis& x, const Axis& y,
                   const std::vector<std::pair<double, double>>& roofs, const std::string& level) {
    std::map<double, double, std::greater<>> peaks;  // by bandwidth
    for (const auto& [peak, bandwidth] : roofs) peaks[bandwidth] = std::max(peaks[bandwidth], peak);
    if (peaks.empty()) return "";
    const auto& [steepest, peak] = *peaks.begin();
    const double start = std::max(x.low(), y.low() / steepest), ridge = std::clamp(peak / steepest, start, x.high());
    std::vector<std::string> names;
    double width = 0;
    for (const auto& [bandwidth, most] : peaks) {
        names.push_back(fmt::format("{}: {} GB/s", level, in_figures(bandwidth)));
        width = std::max(width, 7.1 * static_cast<double>(names.back().size()));
    }
    const double right = std::max(x.at(std::sqrt(start * ridge)) - 8, frame.left + width),
                 part = std::clamp((right - x.at(start)) / std::max(1.0, x.at(ridge) - x.at(start)), 0.0, 1.0),
                 lowest = y.at(start * std::pow(ridge / start, part) * steepest) - 6;
    std::string text;
    for (std::size_t i = 0; i < names.size(); ++i)
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", right,
                            lowest - 14 * static_cast<double>(names.size() - 1 - i), escaped(names[i]));
    return text;
}

/// The place of a roof's name: above its line or below, as far to the right as nothing is in the way; or nowhere.
std::optional<Box> free_place(double ridge, double right, double line, double width, const std::vector<Box>& taken) {
    for (double end = right - 2; end - width >= ridge; end -= 8)
        for (const double top : {line - 18, line + 4}) {
            const Box box{end - width, top, end, top + 14};
            if (std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return box.meets(other); }))
                return box;
        }
    return {};
}

/// The lines of all roofs, then their names, which stay clear of lines, of what is `taken` and of each other. Lines and
/// names are taken after it.
std::string roofs(const Frame& frame, const Axis& x, const Axis& y, const Points& points, std::vector<Box>& taken) {
    std::string text;
    std::vector<std::pair<double, double>> drawn;
    std::vector<std::pair<const RooflinePoint*, double>> named;  // and where the line turns flat
    const double right = frame.plot_right();
    for (const RooflinePoint* point : points) {
        const std::pair roof(point->peak, point->bandwidth);
        if (point->bandwidth <= 0 || std::find(drawn.begin(), drawn.end(), roof) != drawn.end()) continue;
        drawn.push_back(roof);
        const double start = std::max(x.low(), y.low() / point->bandwidth),
                     ridge = std::clamp(point->peak / point->bandwidth, start, x.high());
        text += fmt::format("<path class=\"roof\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}H{:.1f}\"/>", x.at(start),
                            y.at(start * point->bandwidth), x.at(ridge),
                            y.at(std::min(point->peak, ridge * point->bandwidth)), right);
        taken.push_back({x.at(ridge), y.at(point->peak) - 1, right, y.at(point->peak) + 1});
        named.emplace_back(point, x.at(ridge));
    }
    std::vector<double> heights;  // roofs that differ by noise have one name
    for (const auto& [point, ridge] : named) {
        const double line = y.at(point->peak);
        if (std::any_of(heights.begin(), heights.end(), [line](double other) { return std::abs(other - line) < 8; }))
            continue;
        heights.push_back(line);
        const std::string name = frame.is_narrow ? in_figures(point->peak)
                                                 : fmt::format("{}: {} GFLOP/s", point->roof, in_figures(point->peak));
        const std::optional<Box> place = free_place(ridge, right, line, 7.1 * static_cast<double>(name.size()), taken);
        if (!place) continue;
        taken.push_back(*place);
        text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", place->right,
                            place->top + 12, escaped(name));
    }
    return text + slopes(frame, x, y, drawn, points.front()->level);
}

/// All points, with a label at the fastest of each rung.
std::vector<Mark> marks_of(const Axis& x, const Axis& y, const Points& points) {
    std::map<std::string, const RooflinePoint*> best;
    for (const RooflinePoint* point : points)
        if (const RooflinePoint*& one = best[point->rung]; !one || point->attained > one->attained) one = point;
    std::vector<Mark> all;
    for (const RooflinePoint* point : points) {
        Mark mark{x.at(point->intensity),
                  y.at(point->attained),
                  {},
                  "faint",
                  fmt::format("{}: {} GFLOP/s at {} flop/byte", point->kernel, in_figures(point->attained),
                              in_figures(point->intensity))};
        if (best[point->rung] == point) mark.label = {short_name(point->kernel)}, mark.kind = "ours";
        all.push_back(std::move(mark));
    }
    return all;
}

std::string chart_of(const Points& points) {
    Span intensity, speed;
    for (const RooflinePoint* point : points) {
        intensity.hold(point->intensity);
        for (const double value : {point->attained, point->peak}) speed.hold(value);
    }
    return figure(
        "Roofline: GFLOP/s against flops for each byte, a point for each rung; the table below has the figures",
        [&](const Frame& frame) {
            const Axis x = Axis::logarithmic(intensity.low, intensity.high, frame.left, frame.plot_right());
            const Axis y = Axis::logarithmic(speed.low, speed.high, frame.plot_bottom(), frame.top);
            std::string inside =
                grid(frame, x, y,
                     frame.is_narrow ? "flops for each byte" : "flops for each byte read, by the rung's own count",
                     "GFLOP/s");
            std::vector<Box> taken;
            for (const RooflinePoint* point : points) {
                const double across = x.at(point->intensity), down = y.at(point->attained),
                             up = y.at(std::clamp(point->predicted, y.low(), y.high()));
                inside += fmt::format("<path class=\"drop\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", across, up, down);
                taken.push_back({across - 5, down - 5, across + 5, down + 5});
                taken.push_back({across - 1, up, across + 1, down});
            }
            inside += roofs(frame, x, y, points, taken);
            return inside + marks(frame, marks_of(x, y, points), taken);
        });
}

std::string table_of(const Points& points) {
    std::string text =
        "<details><summary>The roofline as a table</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
        "scope=\"col\">Kernel</th><th scope=\"col\" class=\"n\">Flop/byte</th>"
        "<th scope=\"col\" class=\"n\">Predicted</th><th scope=\"col\" class=\"n\">Attained</th><th scope=\"col\">What "
        "bounds it</th></tr></thead><tbody>\n";
    for (const RooflinePoint* point : points)
        text += fmt::format(
            "<tr><th scope=\"row\" class=\"mono\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td><td "
            "class=\"n\">{}</td><td>{}</td></tr>\n",
            escaped(point->kernel), in_figures(point->intensity), in_figures(point->predicted),
            in_figures(point->attained), escaped(point->bound));
    return text + "</tbody></table></div></details>\n";
}

}  // namespace

std::string roofline_section(const ReportData& data) {
    std::vector<std::string> devices;
    for (const RooflinePoint& point : data.points)
        if (std::find(devices.begin(), devices.end(), point.device) == devices.end()) devices.push_back(point.device);
    if (devices.empty()) return "";
    std::string text =
        "<p>A rung can't be quicker than its unit: the flat lines, each with the unit's name and the threads that "
        "work. "
        "Nor can it be quicker than memory feeds it: the slopes. Left of the corner reading bounds, right of it "
        "arithmetic. The dotted line above a point leads to what its own count of bytes predicts: a long one says that "
        "something else holds it back, a chain of waits for instance.</p>\n";
    for (const std::string& device : devices) {
        Points points;
        for (const RooflinePoint& point : data.points)
            if (point.device == device) points.push_back(&point);
        if (devices.size() > 1) text += "<h3>" + escaped(device) + "</h3>\n";
        text += chart_of(points) + table_of(points);
    }
    return text;
}

}  // namespace tw::measure
