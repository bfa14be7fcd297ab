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

bool begins_function(std::string_view line) {
    return !line.empty() && line.front() != ' ' && line.front() != '/' && line.front() != '#' && line.front() != '}' &&
           line.ends_with("{") && line.find('(') != std::string_view::npos && !line.starts_with("namespace");
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
        long best_loops = -1;  // a function without a loop is better than none: r7 hands its loops to the macro-kernel
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (!begins_function(lines[i])) continue;
            std::size_t last = i;
            while (last + 1 < lines.size() && lines[last] != "}") ++last;
            const long loops =
                std::count_if(lines.begin() + static_cast<long>(i), lines.begin() + static_cast<long>(last),
                              [](std::string_view line) { return line.find("for (") != std::string_view::npos; });
            const bool is_longer = last - i > best_last - best_first && loops == best_loops && loops == 0;
            if (loops > best_loops || is_longer) best_loops = loops, best_first = head_of(lines, i), best_last = last;
            i = last;
        }
        std::string text;
        for (std::size_t i = best_first; best_loops >= 0 && i <= best_last; ++i) text.append(lines[i]).append("\n");
        return text;
    }
    return "";
}

}  // namespace tw::measure
