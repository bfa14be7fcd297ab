// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace tw::measure {
namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 20;
constexpr std::size_t most_values = 4096;

std::int64_t parse_side(const std::string& text, const std::string& whole) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > largest_side)
        throw std::invalid_argument(fmt::format(
            "expected whole numbers from 1 to {}, such as 64,100 or 8:4096:x2; got '{}'", largest_side, whole));
    return value;
}

void append_range(std::vector<std::int64_t>& values, const std::string& range, const std::string& whole) {
    const std::size_t first = range.find(':');
    if (first == std::string::npos) {
        values.push_back(parse_side(range, whole));
        return;
    }
    const std::size_t second = range.find(':', first + 1);
    const std::int64_t from = parse_side(range.substr(0, first), whole);
    const std::int64_t to = parse_side(range.substr(first + 1, second - first - 1), whole);
    std::string step = second == std::string::npos ? "x2" : range.substr(second + 1);
    const bool multiplies = step.starts_with("x");
    if (multiplies || step.starts_with("+")) step.erase(0, 1);
    const std::int64_t by = parse_side(step, whole);
    if (from > to || (multiplies && by < 2))
        throw std::invalid_argument(
            fmt::format("a range must grow, as 8:4096:x2 does; '{}' in '{}' does not", range, whole));
    for (std::int64_t value = from; value <= to && values.size() <= most_values;
         value = multiplies ? value * by : value + by)
        values.push_back(value);
}

void append(std::vector<Shape>& shapes, const std::vector<Shape>& more) {
    shapes.insert(shapes.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::int64_t> parse_list(const std::string& text) {
    std::vector<std::int64_t> values;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        append_range(values, text.substr(start, comma - start), text);
        start = comma + 1;
    }
    if (values.size() > most_values)
        throw std::invalid_argument(fmt::format("'{}' names more than {} values", text, most_values));
    std::vector<std::int64_t> once;
    for (const std::int64_t value : values)
        if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(value);
    return once;
}

std::vector<Shape> shapes_of(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n,
                             const std::vector<std::int64_t>& k) {
    std::vector<Shape> shapes;
    const std::vector<std::int64_t> follow{0};
    for (const std::int64_t i : m.empty() ? follow : m)
        for (const std::int64_t j : n.empty() ? follow : n)
            for (const std::int64_t p : k.empty() ? follow : k) {
                const std::int64_t any = i ? i : j ? j : p;
                shapes.push_back({i ? i : any, j ? j : any, p ? p : any});
            }
    return shapes;
}

std::vector<Shape> suite(const std::string& name) {
    if (name == "square") return shapes_of({64, 128, 256, 512, 1024, 2048}, {}, {});
    if (name == "small") return shapes_of({4, 8, 12, 16, 24, 32, 48, 64}, {}, {});
    if (name == "skinny")
        return {{1, 2048, 2048}, {4, 2048, 2048}, {8, 2048, 2048},  {32, 2048, 2048}, {2048, 1, 2048},
                {2048, 8, 2048}, {2048, 2048, 8}, {2048, 2048, 64}, {64, 64, 16384}};
    if (name == "ragged")
        return {{127, 129, 131},  {255, 257, 253}, {300, 200, 100},   {511, 513, 509},
                {1000, 200, 300}, {33, 1000, 77},  {999, 1001, 1003}, {17, 65, 1025}};
    if (name == "llm")
        return {{1, 4096, 4096},  {16, 4096, 4096}, {128, 4096, 4096}, {1, 11008, 4096}, {16, 11008, 4096},
                {1, 4096, 11008}, {128, 128, 64},   {128, 64, 128},    {512, 512, 128}};
    if (name == "mixed") {
        std::vector<Shape> all;
        for (const char* part : {"square", "small", "skinny", "ragged", "llm"}) append(all, suite(part));
        return all;
    }
    return {};
}

}  // namespace tw::measure
