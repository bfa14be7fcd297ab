// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Draws a layout: columns numbered above, rows at the left, the offset of each element in its cell.
#include "tilewright/draw.hpp"

#include <algorithm>

namespace tw {
namespace {

std::size_t digits(std::int64_t number) { return std::to_string(number).size(); }

std::string right_aligned(std::int64_t number, std::size_t width) {
    const std::string text = std::to_string(number);
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

template <class AnyLayout>
std::string grid(const AnyLayout& layout, std::int64_t rows, std::int64_t cols) {
    std::size_t cell = std::max<std::size_t>(2, digits(cols - 1));  // small grids line up with one another
    for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < cols; ++j) cell = std::max(cell, digits(layout(i, j)));
    const std::size_t label = std::max<std::size_t>(2, digits(rows - 1));

    const std::string margin(label + 2, ' ');
    std::string rule = margin;
    for (std::int64_t j = 0; j < cols; ++j) rule.append("+").append(cell + 2, '-');
    rule += "+\n";

    std::string text = margin;
    for (std::int64_t j = 0; j < cols; ++j) text.append(j ? "   " : "  ").append(right_aligned(j, cell));
    text.append("\n").append(rule);
    for (std::int64_t i = 0; i < rows; ++i) {
        text.append(right_aligned(i, label)).append("  ");
        for (std::int64_t j = 0; j < cols; ++j) text.append("| ").append(right_aligned(layout(i, j), cell)).append(" ");
        text.append("|\n").append(rule);
    }
    return text;
}

}  // namespace

std::string draw(const Layout& layout) { return grid(layout, layout.rows, layout.cols); }

std::string draw(const BlockedLayout& layout) { return grid(layout, layout.rows(), layout.cols()); }

}  // namespace tw
