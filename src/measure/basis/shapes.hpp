// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which products to measure: lists, ranges and suites.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw::measure {

struct Shape {
    std::int64_t m = 0, n = 0, k = 0;
    friend bool operator==(const Shape&, const Shape&) = default;
};

/// "64,100,8:4096:x2,10:30:+5": each value once, in the order of writing. Throws std::invalid_argument with a sentence.
std::vector<std::int64_t> parse_list(const std::string& text);

/// Every m with every n and k. An empty list of n or k is as m: so m alone gives squares.
std::vector<Shape> shapes_of(const std::vector<std::int64_t>& m, const std::vector<std::int64_t>& n,
                             const std::vector<std::int64_t>& k);

/// "square", "skinny", "small", "ragged", "llm", "mixed" (40 shapes of all five); empty for any other word.
std::vector<Shape> suite(const std::string& name);

}  // namespace tw::measure
