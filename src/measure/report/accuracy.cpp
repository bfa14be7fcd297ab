// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Error against speed: a point for each stop of the accuracy dial and for each peer, and their Pareto front.
#include <fmt/format.h>

#include <algorithm>

#include "measure/report/chart.hpp"
#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

using Rows = std::vector<const Row*>;

/// The stops of a device's dial and the peers that multiplied the same matrices, the most exact first.
Rows rows_of(const ReportData& data, const std::string& device) {
    Rows rows;
    for (const Row& row : data.dial)
        if (row.device == device && row.is_timed() && row.relative_error > 0) rows.push_back(&row);
    if (rows.empty()) return rows;
    const Row& any = *rows.front();
    for (const Row& row : data.climb)
        if (row.provider != "tilewright" && row.device == device && row.is_timed() && row.relative_error > 0 &&
            row.m == any.m && row.n == any.n && row.k == any.k && row.type == any.type && row.threads == any.threads)
            rows.push_back(&row);
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row* p, const Row* q) { return p->relative_error < q->relative_error; });
    return rows;
}

/// True when no other row is both faster and more accurate.
bool is_on_front(const Rows& rows, const Row* row) {
    return std::none_of(rows.begin(), rows.end(), [row](const Row* other) {
        return (other->relative_error <= row->relative_error && other->gflops > row->gflops) ||
               (other->relative_error < row->relative_error && other->gflops >= row->gflops);
    });
}

/// Stops with the same kernel differ only by noise, so one label names them all, broken into lines.
std::vector<std::string> label_of(const Rows& rows, const Row* row) {
    const std::size_t length = 22;
    std::vector<std::string> lines{""};
    for (const Row* other : rows) {
        if (other->provider != row->provider || other->kernel != row->kernel ||
            other->relative_error != row->relative_error)
            continue;
        const std::string word = other->provider == "tilewright" ? other->accuracy : other->provider;
        if (!lines.back().empty() && lines.back().size() + word.size() > length)
            lines.back() += ",", lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : ", ") + word;
    }
    if (row->provider == "tilewright") lines.push_back(short_name(row->kernel));
    return lines;
}

bool is_first_of_its_kernel(const Rows& rows, const Row* row) {
    return row == *std::find_if(rows.begin(), rows.end(), [row](const Row* other) {
               return other->provider == row->provider && other->kernel == row->kernel &&
                      other->relative_error == row->relative_error;
           });
}

std::string draw(const Frame& frame, const Rows& rows) {
    double most = 0;
    for (const Row* row : rows) most = std::max(most, row->gflops);
    const Axis x = Axis::logarithmic(rows.front()->relative_error / 1.2, rows.back()->relative_error * 1.2, frame.left,
                                     frame.plot_right());
    const Axis y = Axis::linear(most, frame.plot_bottom(), frame.top);
    std::string inside = grid(frame, x, y,
                              frame.is_narrow ? "relative error; left is better"
                                              : "relative error of the product, against f64; left is better",
                              "GFLOP/s");
    std::string front;
    std::vector<Mark> all;
    std::vector<Box> lines;
    double last_x = frame.left, last_y = frame.plot_bottom();
    const auto climb_to = [&](double px, double py) {
        if (!lines.empty()) front += fmt::format("H{:.1f}", px), lines.push_back({last_x, last_y - 1, px, last_y + 1});
        else front = fmt::format("M{:.1f} {:.1f}", px, last_y);
        front += fmt::format("V{:.1f}", py);
        lines.push_back({px - 1, py, px + 1, last_y});
        last_x = px, last_y = py;
    };
    for (const Row* row : rows) {
        const double px = x.at(row->relative_error), py = y.at(row->gflops);
        if (is_on_front(rows, row)) climb_to(px, py);
        Mark mark{
            px,
            py,
            {},
            row->provider == "tilewright" ? "ours" : "theirs",
            fmt::format("{}{}: {} GFLOP/s, error {:.2e}", row->provider == "tilewright" ? row->accuracy + ", " : "",
                        row->kernel, in_figures(row->gflops), row->relative_error)};
        if (is_first_of_its_kernel(rows, row)) mark.label = label_of(rows, row);
        all.push_back(std::move(mark));
    }
    front += fmt::format("H{:.1f}", frame.plot_right());
    lines.push_back({last_x, last_y - 1, frame.plot_right(), last_y + 1});
    inside += fmt::format("<path class=\"reached\" d=\"{}V{:.1f}Z\"/><path class=\"front\" d=\"{}\"/>", front,
                          frame.plot_bottom(), front);
    return inside + marks(frame, all, lines);
}

std::string table_of(const Rows& rows) {
    std::string text =
        "<details><summary>Error against speed as a table</summary><div class=\"scroll\" "
        "tabindex=\"0\"><table><thead><tr><th scope=\"col\">Accuracy asked for</th><th scope=\"col\">Kernel</th>"
        "<th scope=\"col\" class=\"n\">Relative error</th><th scope=\"col\" class=\"n\">GFLOP/s</th><th "
        "scope=\"col\">On the front</th></tr></thead><tbody>\n";
    for (const Row* row : rows)
        text += fmt::format(
            "<tr><th scope=\"row\">{}</th><td class=\"mono\">{}</td><td class=\"n\">{:.2e}</td><td "
            "class=\"n\">{}</td><td>{}</td></tr>\n",
            row->provider == "tilewright" ? escaped(row->accuracy) : "none: another library", escaped(row->kernel),
            row->relative_error, in_figures(row->gflops), is_on_front(rows, row) ? "yes" : "");
    return text + "</tbody></table></div></details>\n";
}

std::vector<std::string> devices_of(const ReportData& data) {
    std::vector<std::string> devices;
    for (const Row& row : data.dial)
        if (std::find(devices.begin(), devices.end(), row.device) == devices.end() &&
            rows_of(data, row.device).size() > 1)
            devices.push_back(row.device);
    return devices;
}

constexpr const char* in_words =
    "GFLOP/s against relative error, a point for each accuracy that can be asked for and for each other library";

}  // namespace

std::string accuracy_section(const ReportData& data) {
    std::string text;
    for (const std::string& device : devices_of(data)) {
        const Rows rows = rows_of(data, device);
        const Row& any = *rows.front();
        text += fmt::format(
            "<p>multiply() was asked for each accuracy in turn, {} x {} x {} on {} thread{} of the device {}, and took "
            "the cheapest kernel that keeps it. "
            "On the line nothing else is both faster and more accurate.</p>\n",
            any.m, any.n, any.k, any.threads, any.threads == 1 ? "" : "s", escaped(device));
        text += figure(std::string(in_words) + "; the table below has the figures",
                       [&rows](const Frame& frame) { return draw(frame, rows); });
        text += table_of(rows);
    }
    return text;
}

std::string accuracy_picture(const ReportData& data) {
    const std::vector<std::string> devices = devices_of(data);
    if (devices.empty()) return "";
    const Rows rows = rows_of(data, devices.front());
    return picture(fmt::format("{}, on {}", in_words, data.machine.processor),
                   [&rows](const Frame& frame) { return draw(frame, rows); });
}

}  // namespace tw::measure
