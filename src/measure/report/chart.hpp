// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Drawing for the report: axes, and points with labels that do not overlap. Each chart is drawn twice: for wide screens
// and paper, and for phones.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tw::measure {

/// A picture's size, and the margins around what is plotted, in units of its view box.
struct Frame {
    double width, height, left, right, top, bottom;
    bool is_narrow;

    double plot_right() const { return width - right; }
    double plot_bottom() const { return height - bottom; }
};

class Axis {
public:
    /// Whole decades around low to high.
    static Axis logarithmic(double low, double high, double from, double to);

    /// From zero to a round number above high.
    static Axis linear(double high, double from, double to);

    double at(double value) const;
    double low() const { return low_; }
    double high() const { return high_; }
    const std::vector<double>& ticks() const { return ticks_; }

private:
    bool is_logarithmic_ = false;
    double low_ = 0, high_ = 1, from_ = 0, to_ = 1;
    std::vector<double> ticks_{};
};

/// "1,000", "0.1", and very large or small numbers as "10" with an exponent.
std::string tick_text(double value);

/// Lines, figures at the ticks, and what they mean.
std::string grid(const Frame& frame, const Axis& x, const Axis& y, const std::string& x_title,
                 const std::string& y_title);

/// A rectangle that labels must not overlap; a line is a thin one.
struct Box {
    double left, top, right, bottom;
    bool meets(const Box& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

struct Mark {
    double x, y;
    std::vector<std::string> label;  ///< lines; empty: the point alone
    std::string kind;                ///< its class: "ours", "theirs", "faint"
    std::string title;               ///< shown when pointed at
};

/// Draws the points, with labels beside them that overlap no other label, no point and no `taken` box.
std::string marks(const Frame& frame, const std::vector<Mark>& all, std::vector<Box> taken);

/// Both sizes of a chart; `label` describes it in words.
std::string figure(const std::string& label, const std::function<std::string(const Frame&)>& draw);

/// Only the wide size, with its own colours, as a file.
std::string picture(const std::string& label, const std::function<std::string(const Frame&)>& draw);

}  // namespace tw::measure
