// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <fmt/format.h>

#include <algorithm>

#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

std::string row(const std::string& name, const std::string& value) {
    return value.empty() ? "" : fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", name, escaped(value));
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : ", ").append(word);
    return text;
}

std::string headline_fact(const std::string& figure, const std::string& words) {
    return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", words, figure);
}

/// Up to three figures at the top, for the first device with a ladder, and only if they were measured.
std::string headline(const ReportData& data) {
    const Row *first = nullptr, *best = nullptr, *rival = nullptr;
    for (const Row& row : data.climb) {
        if (!row.is_timed() || row.device != data.climb.front().device) continue;
        const bool is_own = row.provider == "tilewright";
        if (is_own && !first) first = &row;
        const Row*& quickest = is_own ? best : rival;
        if (!quickest || row.gflops > quickest->gflops) quickest = &row;
    }
    if (!best) return "";
    std::string text = "<dl class=\"headline\">" + headline_fact(in_figures(best->gflops) + " <small>GFLOP/s</small>",
                                                                 "the best rung, " + escaped(short_name(best->kernel)));
    if (best->fraction_of_unit_peak > 0)
        text += headline_fact(fmt::format("{:.0f} <small>%</small>", 100 * best->fraction_of_unit_peak),
                              "of what its unit can do");
    if (best != first)
        text += headline_fact(in_figures(best->gflops / first->gflops) + " <small>times</small>", "the first rung");
    if (rival && rival->accuracy == best->accuracy)
        text += headline_fact(in_figures(best->gflops / rival->gflops) + " <small>times</small>",
                              "the best other library here, " + escaped(rival->provider));
    return text + "</dl>\n";
}

/// A busy machine measures its neighbours, too.
std::string noise(const ReportData& data) {
    double most = 0;
    for (const Row& row : data.climb)
        if (row.is_timed() && row.seconds.size() > 2) most = std::max(most, row.spread);
    const bool is_busy = data.machine.load[0] > 0.5 * data.machine.cores;
    if (!is_busy && most < 0.25) return "";
    return fmt::format(
        "<p class=\"noise\" role=\"note\">Other programs were at work: the load was {:.1f} on {} core{}, and times "
        "spread by up to {:.0f} %. A quiet machine is quicker.</p>\n",
        data.machine.load[0], data.machine.cores, data.machine.cores == 1 ? "" : "s", 100 * most);
}

std::string in_figures_or_nothing(double rate, bool is_bandwidth) {
    return rate > 0 ? in_figures(rate) + (is_bandwidth ? " GB/s" : " GFLOP/s") : "";
}

}  // namespace

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '&') safe += "&amp;";
        else if (c == '<') safe += "&lt;";
        else if (c == '>') safe += "&gt;";
        else if (c == '"') safe += "&quot;";
        else safe += c;
    }
    return safe;
}

std::string in_figures(double value) {
    if (value >= 1e6)
        return fmt::format("{},{:03},{:03}", static_cast<long>(value) / 1'000'000,
                           static_cast<long>(value) / 1000 % 1000, static_cast<long>(value) % 1000);
    if (value >= 1000)
        return fmt::format("{},{:03.0f}", static_cast<long>(value) / 1000,
                           static_cast<double>(static_cast<long>(value) % 1000));
    return value >= 100  ? fmt::format("{:.0f}", value)
           : value >= 10 ? fmt::format("{:.1f}", value)
                         : fmt::format("{:.2f}", value);
}

std::string short_name(const std::string& kernel) {
    const std::size_t first = kernel.find('.'), second = kernel.find('.', first + 1), last = kernel.rfind('.');
    if (second == std::string::npos || kernel.find(' ') != std::string::npos) return kernel.substr(0, kernel.find(' '));
    std::string word = kernel.substr(first + 1, second - first - 1);
    const bool has_number = word[0] == 'r' && word.find_first_not_of("0123456789", 1) == word.find('_');
    if (has_number) word.resize(word.find('_'));
    std::replace(word.begin(), word.end(), '_', ' ');
    const std::string tail = kernel.substr(last + 1);
    return word + (tail == "f32" || tail == "f64" ? "" : " " + tail);
}

std::string machine_section(const ReportData& data) {
    const Machine& m = data.machine;
    std::string text =
        "<div class=\"pair\"><div class=\"scroll\" tabindex=\"0\"><table><caption>What was measured "
        "on</caption><tbody>\n";
    text += row("Processor", m.processor) +
            row("Cores", fmt::format("{} physical, {} processors allowed", m.cores, m.processors));
    text += row("Clock", fmt::format("{:.2f} GHz, measured", data.clock_hz * 1e-9)) +
            row("Memory", fmt::format("{:.1f} GiB", m.memory_gib));
    text += row("Features", joined(m.features)) + row("System", m.system) + row("Governor", m.governor);
    text += row("Load", fmt::format("{:.2f} {:.2f} {:.2f}", m.load[0], m.load[1], m.load[2])) +
            row("tilewright", m.version);
    text += row("Compiler", m.compiler) + row("Variables", m.variables) + row("Date", m.date);
    text +=
        "</tbody></table></div>\n<div class=\"scroll\" tabindex=\"0\"><table><caption>Its "
        "roofs</caption><thead><tr><th scope=\"col\">Roof</th>"
        "<th scope=\"col\" class=\"n\">Measured</th><th scope=\"col\" class=\"n\">By "
        "formula</th></tr></thead><tbody>\n";
    for (const UnitPeak& unit : data.units)
        text +=
            fmt::format("<tr><th scope=\"row\">{} {}</th><td class=\"n\">{} GFLOP/s</td><td class=\"n\">{}</td></tr>\n",
                        unit.loop.unit, unit.loop.type, in_figures(unit.gflops), in_figures(unit.theoretical()));
    for (const Bandwidth& read : data.bandwidths)
        text += fmt::format("<tr><th scope=\"row\">reading {}{}</th><td class=\"n\">{} GB/s</td><td></td></tr>\n",
                            read.level, read.threads > 1 ? fmt::format(", {} cores", read.threads) : "",
                            in_figures(read.gigabytes_per_second));
    for (const DeviceRoof& roof : data.device_roofs)
        text += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
                            escaped(roof.name), in_figures_or_nothing(roof.measured, roof.is_bandwidth),
                            roof.by_formula > 0 ? in_figures(roof.by_formula) : "");
    return text + "</tbody></table></div></div>\n";
}

std::string report_page(const ReportData& data) {
    std::vector<Section> sections{{"climb", "The climb", climb_section(data)},
                                  {"roofline", "The roofline", roofline_section(data)},
                                  {"accuracy", "Error against speed", accuracy_section(data)},
                                  {"shapes", "Shapes against peers", shapes_section(data)}};
    sections.insert(sections.end(), data.further.begin(), data.further.end());
    sections.push_back({"machine", "This machine", machine_section(data)});
    std::string page =
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" "
        "content=\"light dark\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>tilewright on ";
    page += escaped(data.machine.processor) + "</title>\n<style>" + report_style() + "</style>\n</head>\n<body>\n";
    page +=
        "<a class=\"skip\" href=\"#main\">Skip to the figures</a>\n<header><p class=\"brand\">tilewright</p><h1>How "
        "fast this machine multiplies matrices</h1><p class=\"lead\">";
    page += fmt::format(
        "{}, {} core{}, measured on {}. Every figure on this page was measured here; what was not measured is not "
        "shown.",
        escaped(data.machine.processor), data.machine.cores, data.machine.cores == 1 ? "" : "s",
        data.machine.date.substr(0, 10));
    page += "</p>\n" + noise(data) + headline(data) + "<nav aria-label=\"Sections\"><ul>";
    for (const Section& section : sections)
        if (!section.text.empty()) page += fmt::format("<li><a href=\"#{}\">{}</a></li>", section.id, section.title);
    page += "</ul></nav></header>\n<main id=\"main\">\n";
    for (const Section& section : sections)
        if (!section.text.empty())
            page += fmt::format(
                "<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                section.id, section.title, section.text);
    page += "</main>\n<footer><p>Written by <code>tw report</code>, tilewright " + escaped(data.machine.version) +
            ".</p></footer>\n<script>";
    return page + report_script() + "</script>\n</body>\n</html>\n";
}

}  // namespace tw::measure
