// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The effort dial: error and speed against the bytes that are read, with a line for each layout and each alternative.
#include "measure/report/effort.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "measure/report/chart.hpp"

namespace tw::measure {
namespace {

using Rows = std::vector<const Row*>;

/// The titles of the axes, and which figures of a row to plot.
struct Plot {
    const char* x_title;
    const char* y_title;
    bool is_speed;

    double y_of(const Row& row) const { return is_speed ? row.effort->speedup : row.relative_error; }
};

constexpr Plot quality{"bytes read, over those of 16 bits a weight", "relative error; lower is better", false};
constexpr Plot speed{"bytes read, over those of 16 bits a weight", "times the speed of the dense product", true};

/// The layouts and rivals in the order of their first row.
std::vector<std::string> layouts_of(const Rows& rows) {
    std::vector<std::string> layouts;
    for (const Row* row : rows)
        if (std::find(layouts.begin(), layouts.end(), row->effort->layout) == layouts.end())
            layouts.push_back(row->effort->layout);
    return layouts;
}

/// The rows of one kind of data, by falling bytes. Rows without error are left out: the axis is logarithmic.
Rows rows_of(const std::vector<Row>& all, const std::string& data, bool is_speed) {
    Rows rows;
    for (const Row& row : all)
        if (row.effort && row.effort->data == data && row.is_timed() == is_speed &&
            (is_speed || row.relative_error > 1e-5))
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row* p, const Row* q) { return p->effort->bytes_fraction > q->effort->bytes_fraction; });
    return rows;
}

/// The class that has a line's colour: the same in every chart.
std::string way_of(const std::string& layout) {
    constexpr std::string_view known[] = {"planes", "buckets", "tiers", "q8_top_k", "q4_top_k", "teal", "q8_0", "q4_0"};
    const auto is_of = [&](std::string_view name) { return layout.starts_with(name); };  // "buckets_8" are buckets
    const auto at = std::find_if(std::begin(known), std::end(known), is_of) - std::begin(known);
    return fmt::format("way{}", at < 8 ? at + 1 : 7);
}

/// Names beside the chart: on it they would lie on each other where all lines end.
std::string key_of(const Rows& rows) {
    std::string text = "<p class=\"key\">";
    for (const std::string& layout : layouts_of(rows))
        text += fmt::format("<span><i class=\"{}\"></i>{}</span>", way_of(layout), escaped(layout));
    return text + "</p>\n";
}

std::string draw(const Frame& frame, const Rows& rows, const Plot& plot) {
    double least = 1e9, most = 0, widest = 0;
    for (const Row* row : rows) {
        least = std::min(least, plot.y_of(*row));
        most = std::max(most, plot.y_of(*row));
        widest = std::max(widest, row->effort->bytes_fraction);
    }
    const Axis x = Axis::linear(widest, frame.left, frame.plot_right());
    const Axis y = plot.is_speed ? Axis::linear(most, frame.plot_bottom(), frame.top)
                                 : Axis::logarithmic(least, most, frame.plot_bottom(), frame.top);
    std::string inside = grid(frame, x, y, plot.x_title, plot.y_title);
    std::vector<Mark> all;
    for (const std::string& layout : layouts_of(rows)) {
        std::string path;
        const std::string way = way_of(layout);
        for (const Row* row : rows) {
            if (row->effort->layout != layout) continue;
            const double px = x.at(row->effort->bytes_fraction), py = y.at(plot.y_of(*row));
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", px, py);
            all.push_back(
                {px,
                 py,
                 {},
                 way,
                 fmt::format("{}: {:.2f} of the bytes, {:.3g}", layout, row->effort->bytes_fraction, plot.y_of(*row))});
        }
        inside += fmt::format("<path class=\"line {}\" d=\"{}\"/>", way, path);
    }
    return inside + marks(frame, all, {});
}

std::string table_of(const Rows& rows, const std::string& title, bool is_speed) {
    std::string text = fmt::format(
        "<details><summary>{} as a table</summary><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
        "scope=\"col\">Layout</th>"
        "<th scope=\"col\" class=\"n\">Effort</th><th scope=\"col\" class=\"n\">Bytes</th><th scope=\"col\" "
        "class=\"n\">Error</th>"
        "<th scope=\"col\" class=\"n\">Predicted</th>{}</tr></thead><tbody>\n",
        title,
        is_speed ? "<th scope=\"col\" class=\"n\">GB/s</th><th scope=\"col\" class=\"n\">Speed over dense</th>" : "");
    for (const Row* row : rows) {
        const EffortFigures& dial = *row->effort;
        text += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{:.3f}</td><td class=\"n\">{:.3f}</td><td "
            "class=\"n\">{:.4f}</td><td class=\"n\">{}</td>",
            dial.layout, dial.effort, dial.bytes_fraction, row->relative_error,
            std::isnan(dial.predicted_error) ? "" : fmt::format("{:.4f}", dial.predicted_error));
        if (is_speed)
            text += fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td>", in_figures(dial.gbps),
                                in_figures(dial.speedup));
        text += "</tr>\n";
    }
    return text + "</tbody></table></div></details>\n";
}

}  // namespace

Section effort_section(const std::vector<Row>& quality_rows, const std::vector<Row>& speed_rows) {
    std::string text;
    struct Kind {
        const char *name, *title, *is_about;
    };
    for (const auto& [name, title, is_about] :
         {Kind{"gauss", "Error on random data", "weights and vector N(0, 1), the hardest there is"},
          Kind{"swiglu", "Error inside a gated network", "a vector as the last matrix of a gated network is given"},
          Kind{"real", "Error on real weights", "weights from a file"}}) {
        const Rows rows = rows_of(quality_rows, name, false);
        if (rows.size() < 2) continue;
        text += fmt::format(
            "<h3>{}</h3>\n<p>{} x {} weights, {}. Ours are the layouts of the dial; the others are what one "
            "would use instead.</p>\n",
            title, rows.front()->m, rows.front()->k, is_about);
        text += key_of(rows);
        text += figure(
            fmt::format("{}: relative error against the share of bytes read; the table below has the figures", title),
            [&rows](const Frame& frame) { return draw(frame, rows, quality); });
        text += table_of(rows, title, false);
    }
    const Rows timed = rows_of(speed_rows, "gauss", true);
    if (timed.size() < 2) return {"effort", "The effort dial", text};
    text += fmt::format(
        "<h3>Speed</h3>\n<p>{} x {} weights, {} thread{}, selection included, timed in turns with the dense product of "
        "the same values.</p>\n",
        timed.front()->m, timed.front()->k, timed.front()->threads, timed.front()->threads == 1 ? "" : "s");
    text += key_of(timed);
    text += figure("Speed over the dense product against the share of bytes read; the table below has the figures",
                   [&timed](const Frame& frame) { return draw(frame, timed, speed); });
    return {"effort", "The effort dial", text + table_of(timed, "Speed", true)};
}

}  // namespace tw::measure
