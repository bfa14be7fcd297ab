// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Drawing for the report: axes, points with labels that keep clear of each other, and each chart twice: as a wide
// screen or paper has room for it, and as a phone has.
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

/// "1,000", "0.1", and outside of what is read at a glance "10" with a raised exponent.
std::string tick_text(double value);

/// Lines, figures at the ticks, and what they mean.
std::string grid(const Frame& frame, const Axis& x, const Axis& y, const std::string& x_title,
                 const std::string& y_title);

/// A rectangle that labels keep clear of; a line is a thin one.
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

/// The points, and each label beside its own where no other label or point lies, nor anything that is `taken`.
std::string marks(const Frame& frame, const std::vector<Mark>& all, std::vector<Box> taken);

/// Both sizes of a chart; `label` says in words what is to be seen.
std::string figure(const std::string& label, const std::function<std::string(const Frame&)>& draw);

/// One size alone, with its own colours, as a file.
std::string picture(const std::string& label, const std::function<std::string(const Frame&)>& draw);

}  // namespace tw::measure
