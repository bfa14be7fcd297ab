// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <algorithm>
#include <string_view>
#include <vector>

#include "measure/report/rung_sources.hpp"

namespace tw::measure {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

/// A function whose first line this is; its parameters may go on over some lines.
bool begins_function(const std::vector<std::string_view>& lines, std::size_t at) {
    const std::string_view line = lines[at];
    if (line.empty() || std::string_view(" /#}").find(line.front()) != std::string_view::npos ||
        line.find('(') == std::string_view::npos || line.starts_with("namespace"))
        return false;
    for (std::size_t i = at; i < lines.size() && i < at + 6; ++i) {
        if (i > at && !lines[i].starts_with(" ")) return false;
        if (lines[i].ends_with("{")) return true;
        if (lines[i].ends_with(";") || lines[i].ends_with("}")) return false;
    }
    return false;
}

bool begins_type(std::string_view line) { return line.starts_with("struct ") && line.ends_with("{"); }

/// A function with loops tells most, the more the better; then a type with loops in its functions, as r7's; then the
/// row, of a rung whose loops are another's, as r10's are r8's. Below 0: nothing of the rung.
long telling(std::string_view head, long loops) {
    constexpr long of_function = 1000;
    if (begins_type(head)) return loops > 0 ? loops : -1;
    if (loops > 0) return of_function + loops;
    return head.find(" row(") != std::string_view::npos ? 0 : -1;
}

/// Where the function begins, with its template line and its comment.
std::size_t head_of(const std::vector<std::string_view>& lines, std::size_t at) {
    while (at > 0 &&
           (lines[at - 1].starts_with("template") || lines[at - 1].starts_with("///") || lines[at - 1].ends_with(",")))
        --at;
    return at;
}

}  // namespace

std::string heart_of(const std::string& backend, const std::string& wanted) {
    for (const RungSource& source : rung_sources()) {
        const std::string_view file = source.file;
        if (backend != source.backend || !(file.starts_with(wanted + ".") || file.starts_with(wanted + "_sm90.")))
            continue;
        const std::vector<std::string_view> lines = lines_of(source.text);
        std::size_t best_first = 0, best_last = 0;
        long best = -1;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool is_type = begins_type(lines[i]);
            if (!is_type && !begins_function(lines, i)) continue;
            std::size_t last = i;
            while (last + 1 < lines.size() && lines[last] != (is_type ? "};" : "}")) ++last;
            const long loops =
                std::count_if(lines.begin() + static_cast<long>(i), lines.begin() + static_cast<long>(last),
                              [](std::string_view line) { return line.find("for (") != std::string_view::npos; });
            if (const long told = telling(lines[i], loops); told > best)
                best = told, best_first = head_of(lines, i), best_last = last;
            i = last;
        }
        std::string text;
        for (std::size_t i = best_first; best >= 0 && i <= best_last; ++i) text.append(lines[i]).append("\n");
        return text;
    }
    return "";
}

}  // namespace tw::measure
