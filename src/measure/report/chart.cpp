// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

constexpr Frame wide{900, 440, 56, 30, 36, 52, false}, narrow{360, 380, 46, 20, 34, 50, true};
constexpr double line_height = 16, letter_width = 7.1, radius = 5;

std::string exponent(int power) {
    constexpr const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = power < 0 ? "⁻" : "";
    for (const char c : std::to_string(std::abs(power))) text += digits[c - '0'];
    return text;
}

double label_width(const std::vector<std::string>& lines) {
    std::size_t most = 0;
    for (const std::string& line : lines) most = std::max(most, line.size());
    return letter_width * static_cast<double>(most);
}

/// Tries right of the point, left, above, below, then further and further down and up on the right.
Box place(const Frame& frame, const Mark& mark, const std::vector<Box>& taken) {
    const double w = label_width(mark.label), h = line_height * static_cast<double>(mark.label.size()),
                 gap = radius + 5;
    std::vector<Box> tries;
    const auto add = [&](double left, double top) { tries.push_back({left, top, left + w, top + h}); };
    for (int step = 0; step < 12; ++step)
        for (const double away : {step * line_height, -step * line_height}) {
            add(mark.x + gap, mark.y - h / 2 + away);
            add(mark.x - gap - w, mark.y - h / 2 + away);
            if (step == 0) add(mark.x - w / 2, mark.y - gap - h), add(mark.x - w / 2, mark.y + gap);
        }
    for (const Box& box : tries) {
        const bool is_inside = box.left >= frame.left + 2 && box.right <= frame.width - 2 &&
                               box.top >= frame.top - line_height && box.bottom <= frame.plot_bottom() + 4;
        const Box with_air{box.left - 4, box.top, box.right + 4, box.bottom};
        if (is_inside &&
            std::none_of(taken.begin(), taken.end(), [&](const Box& other) { return with_air.meets(other); }))
            return box;
    }
    return tries.front();
}

std::string svg(const Frame& frame, const std::string& classes, const std::string& label, const std::string& inside) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" "
        "aria-label=\"{}\">{}</svg>\n",
        classes, frame.width, frame.height, escaped(label), inside);
}

}  // namespace

Axis Axis::logarithmic(double low, double high, double from, double to) {
    Axis axis;
    axis.is_logarithmic_ = true;
    const double first = std::floor(std::log10(low) + 1e-9),
                 last = std::max(first + 1, std::ceil(std::log10(high) - 1e-9));
    axis.low_ = std::pow(10, first);
    axis.high_ = std::pow(10, last);
    axis.from_ = from;
    axis.to_ = to;
    for (double power = first; power <= last; ++power) axis.ticks_.push_back(std::pow(10, power));
    return axis;
}

Axis Axis::linear(double high, double from, double to) {
    Axis axis;
    const double decade = std::pow(10, std::floor(std::log10(std::max(high, 1e-9))));
    double step = decade;
    for (const double part : {0.2, 0.5, 1.0, 2.0})
        if (high / (step = part * decade) <= 6) break;
    axis.high_ = step * std::ceil(high / step + 0.1);
    axis.from_ = from;
    axis.to_ = to;
    for (int i = 0; i * step <= axis.high_ * 1.001; ++i) axis.ticks_.push_back(i * step);
    return axis;
}

double Axis::at(double value) const {
    const auto scale = [this](double x) { return is_logarithmic_ ? std::log10(std::max(x, low_ * 1e-3)) : x; };
    return from_ + (to_ - from_) * (scale(value) - scale(low_)) / (scale(high_) - scale(low_));
}

std::string tick_text(double value) {
    if (value == 0) return "0";
    if (value >= 1000 && value < 1e6)
        return fmt::format("{},{:03}", std::lround(value) / 1000, std::lround(value) % 1000);
    if (value >= 0.01 && value < 1000) return fmt::format("{:g}", value);
    return "10" + exponent(static_cast<int>(std::lround(std::log10(value))));
}

std::string grid(const Frame& frame, const Axis& x, const Axis& y, const std::string& x_title,
                 const std::string& y_title) {
    std::string text;
    for (const double value : x.ticks())
        text += fmt::format(
            "<path class=\"axis\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
            "text-anchor=\"middle\">{4}</text>",
            x.at(value), frame.top, frame.plot_bottom(), frame.plot_bottom() + 19, tick_text(value));
    for (const double value : y.ticks())
        text += fmt::format(
            "<path class=\"axis\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>",
            frame.left, y.at(value), frame.plot_right(), frame.left - 8, y.at(value) + 4, tick_text(value));
    return text + fmt::format(
                      "<text class=\"title\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text class=\"title\" "
                      "x=\"4\" y=\"16\">{}</text>",
                      frame.plot_right(), frame.height - 8, x_title, y_title);
}

std::string marks(const Frame& frame, const std::vector<Mark>& all, std::vector<Box> taken) {
    std::string text;
    for (const Mark& mark : all) {
        taken.push_back({mark.x - radius, mark.y - radius, mark.x + radius, mark.y + radius});
        text += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"><title>{}</title></circle>",
                            mark.kind, mark.x, mark.y, radius, escaped(mark.title));
    }
    for (const Mark& mark : all) {
        if (mark.label.empty()) continue;
        const Box box = place(frame, mark, taken);
        taken.push_back(box);
        const double away = std::abs((box.top + box.bottom) / 2 - mark.y);
        if (away > line_height * static_cast<double>(mark.label.size()))
            text += fmt::format("<path class=\"leader\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", mark.x, mark.y,
                                box.left > mark.x ? box.left - 2 : box.right + 2, (box.top + box.bottom) / 2);
        for (std::size_t i = 0; i < mark.label.size(); ++i)
            text += fmt::format("<text class=\"strong\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", box.left,
                                box.top + line_height * static_cast<double>(i) + 12.5, escaped(mark.label[i]));
    }
    return text;
}

std::string figure(const std::string& label, const std::function<std::string(const Frame&)>& draw) {
    return "<figure>" + svg(wide, "chart wide", label, draw(wide)) + svg(narrow, "chart narrow", label, draw(narrow)) +
           "</figure>\n";
}

std::string picture(const std::string& label, const std::function<std::string(const Frame&)>& draw) {
    constexpr const char* colours =
        "<style>.paper{fill:#fbfaf7;stroke:#e2dfd7}circle{stroke:#fbfaf7;stroke-width:1.5}text{fill:#57606a;font:13px "
        "system-ui,-apple-system,'Segoe UI','DejaVu "
        "Sans',sans-serif}.strong{fill:#1d2126;paint-order:stroke;stroke:#fbfaf7;stroke-width:3px}"
        ".axis{stroke:#e2dfd7}.leader{stroke:#9aa3ab;fill:none}.front{stroke:#0b6e6e;fill:none;stroke-width:2}.reached{"
        "fill:#0b6e6e;opacity:.07}"
        ".ours{fill:#0b6e6e}.theirs{fill:#a8561c}@media "
        "(prefers-color-scheme:dark){.paper{fill:#14171a;stroke:#2e343a}text{fill:#a0a8b0}.strong{fill:#e8e6e1;stroke:#"
        "14171a}circle{stroke:#14171a}"
        ".axis{stroke:#2e343a}.front{stroke:#4fc1b8}.reached{fill:#4fc1b8}.ours{fill:#4fc1b8}.theirs{fill:#e39a5f}}</"
        "style>";
    return svg(wide, "chart", label,
               colours +
                   fmt::format("<rect class=\"paper\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"10\"/>",
                               wide.width - 1, wide.height - 1) +
                   draw(wide));
}

}  // namespace tw::measure
