// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Axes, figures and labels, to the unit.
#include "measure/report/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tw::measure {
namespace {

using Figures = std::vector<double>;

TEST(Chart, FiguresAtTheTicks) {
    EXPECT_EQ(tick_text(0), "0");
    EXPECT_EQ(tick_text(999), "999");
    EXPECT_EQ(tick_text(1007), "1,007");
    EXPECT_EQ(tick_text(999999), "999,999");
    EXPECT_EQ(tick_text(1e6), "10⁶");
    EXPECT_EQ(tick_text(1e12), "10¹²");
    EXPECT_EQ(tick_text(0.01), "0.01");
    EXPECT_EQ(tick_text(0.001), "10⁻³");
}

TEST(Chart, ALinearAxisEndsAboveWhatIsHighest) {
    EXPECT_EQ(Axis::linear(1, 0, 1).ticks().size(), 7u);
    EXPECT_DOUBLE_EQ(Axis::linear(1, 0, 1).high(), 1.2);
    EXPECT_DOUBLE_EQ(Axis::linear(1.2, 0, 1).high(), 1.4);
    EXPECT_DOUBLE_EQ(Axis::linear(2, 0, 1).high(), 2.5);
    EXPECT_DOUBLE_EQ(Axis::linear(5, 0, 1).high(), 6);
    EXPECT_EQ(Axis::linear(9, 0, 1).ticks(), (Figures{0, 2, 4, 6, 8, 10}));
    EXPECT_DOUBLE_EQ(Axis::linear(10, 0, 1).high(), 12) << "never at the edge";
    EXPECT_DOUBLE_EQ(Axis::linear(0, 0, 1).high(), 2e-10);
    EXPECT_EQ(Axis::linear(7, 3, 8).low(), 0);
    EXPECT_DOUBLE_EQ(Axis::linear(9, 100, 50).at(0), 100);
    EXPECT_DOUBLE_EQ(Axis::linear(9, 100, 50).at(10), 50);
    EXPECT_DOUBLE_EQ(Axis::linear(9, 100, 50).at(2), 90);
}

TEST(Chart, ALogarithmicAxisHasWholeDecades) {
    const Axis one = Axis::logarithmic(10, 10, 0, 60);
    EXPECT_EQ(one.ticks(), (Figures{10, 100})) << "one at least";
    const Axis exact = Axis::logarithmic(1, 1000, 10, 70);
    EXPECT_EQ(exact.ticks(), (Figures{1, 10, 100, 1000}));
    EXPECT_DOUBLE_EQ(exact.low(), 1);
    EXPECT_DOUBLE_EQ(exact.high(), 1000);
    EXPECT_DOUBLE_EQ(exact.at(1), 10);
    EXPECT_DOUBLE_EQ(exact.at(100), 50);
    EXPECT_DOUBLE_EQ(exact.at(0), -50) << "what is far below lies three decades below";
    EXPECT_EQ(Axis::logarithmic(0.9, 1001, 0, 1).ticks().size(), 6u);
}

constexpr Frame frame{200, 100, 20, 10, 15, 25, false};

TEST(Chart, GridLinesAndTheirFigures) {
    const std::string text = grid(frame, Axis::linear(1, frame.left, frame.plot_right()),
                                  Axis::logarithmic(1, 10, frame.plot_bottom(), frame.top), "across", "up");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 0);
    EXPECT_EQ(text.substr(0, text.find("<path", 1)),
              "<path class=\"axis\" d=\"M20.0 15V75\"/><text x=\"20.0\" y=\"94\" text-anchor=\"middle\">0"
              "</text>");
    EXPECT_EQ(text.substr(text.find("<path class=\"axis\" d=\"M20 ")),
              "<path class=\"axis\" d=\"M20 75.0H190\"/><text x=\"12\" y=\"79.0\" text-anchor=\"end\">1"
              "</text><path class=\"axis\" d=\"M20 15.0H190\"/>"
              "<text x=\"12\" y=\"19.0\" text-anchor=\"end\">10</text>"
              "<text class=\"title\" x=\"190\" y=\"92\" text-anchor=\"end\">across</text>"
              "<text class=\"title\" x=\"4\" y=\"16\">up</text>");
}

Mark mark(double x, double y, std::vector<std::string> label) { return {x, y, std::move(label), "ours", "a & b"}; }

/// Where the labels begin: "x y" of each text.
std::string places(const std::string& svg) {
    std::string found;
    for (std::size_t at = svg.find("<text"); at != std::string::npos; at = svg.find("<text", at + 1)) {
        const std::size_t x = svg.find("x=\"", at) + 3, y = svg.find("y=\"", at) + 3;
        found += svg.substr(x, svg.find('"', x) - x) + " " + svg.substr(y, svg.find('"', y) - y) + "; ";
    }
    return found;
}

TEST(Chart, APointAndItsLabelBesideIt) {
    EXPECT_EQ(marks(frame, {mark(60, 50, {"one", "<2>"})}, {}),
              "<circle class=\"ours\" cx=\"60.0\" cy=\"50.0\" r=\"5\"><title>a &amp; b</title></circle>"
              "<text class=\"strong\" x=\"70.0\" y=\"46.5\">one</text>"
              "<text class=\"strong\" x=\"70.0\" y=\"62.5\">&lt;2&gt;</text>");
    EXPECT_EQ(marks(frame, {mark(60, 50, {})}, {}),
              "<circle class=\"ours\" cx=\"60.0\" cy=\"50.0\" r=\"5\"><title>a &amp; b</title></circle>");
}

// With 4 of air at either side: right of the point, else left, above, below; then further down and up on the right,
// with a line to the point.
TEST(Chart, ALabelGoesWhereThereIsRoom) {
    EXPECT_EQ(places(marks(frame, {mark(60, 50, {"name"})}, {})), "70.0 54.5; ");
    EXPECT_EQ(places(marks(frame, {mark(180, 50, {"name"})}, {})), "141.6 54.5; ");
    const Box on_the_right{99, 0, 200, 100}, on_the_left{0, 0, 61, 100};
    EXPECT_EQ(places(marks(frame, {mark(80, 50, {"name"})}, {on_the_right})), "41.6 54.5; ");
    EXPECT_EQ(places(marks(frame, {mark(80, 50, {"name"})}, {on_the_right, on_the_left})), "65.8 36.5; ");
    EXPECT_EQ(places(marks(frame, {mark(80, 22, {"name"})}, {on_the_right, on_the_left})), "65.8 44.5; ");
    const std::string far = marks(frame, {mark(60, 30, {"name"})}, {{0, 0, 200, 45}});
    EXPECT_EQ(places(far), "70.0 66.5; ");
    EXPECT_EQ(far.substr(far.find("<path"), far.find("/>", far.find("<path")) - far.find("<path")),
              "<path class=\"leader\" d=\"M60.0 30.0L68.0 62.0\"");
    EXPECT_EQ(places(marks(frame, {mark(60, 50, {"name"})}, {{0, 0, 200, 100}})), "70.0 54.5; ")
        << "nowhere: as if there were";
    EXPECT_EQ(places(marks(frame, {mark(60, 50, {"name"}), mark(60, 50, {"name"})}, {})), "70.0 54.5; 45.8 36.5; ");
}

TEST(Chart, ALabelStaysInsideItsFrame) {
    const std::vector<std::string> name{"name"};  // 28.4 wide, 16 high
    EXPECT_EQ(places(marks(frame, {mark(159.6, 50, name)}, {})), "169.6 54.5; ") << "ends 2 before the edge";
    EXPECT_EQ(places(marks(frame, {mark(159.7, 50, name)}, {})), "121.3 54.5; ");
    EXPECT_EQ(places(marks(frame, {mark(60, 71, name)}, {})), "70.0 75.5; ") << "ends 4 below the axis";
    EXPECT_EQ(places(marks(frame, {mark(60, 71.1, name)}, {})), "45.8 57.6; ");
    EXPECT_EQ(places(marks(frame, {mark(60, 7, name)}, {})), "70.0 11.5; ") << "begins a line above the frame";
    EXPECT_EQ(places(marks(frame, {mark(60, 6.9, name)}, {})), "45.8 29.4; ");
}

TEST(Chart, BoxesThatTouchDoNotMeet) {
    const Box box{10, 10, 20, 20};
    EXPECT_TRUE(box.meets({19, 19, 30, 30}));
    EXPECT_FALSE(box.meets({20, 10, 30, 20}));
    EXPECT_FALSE(box.meets({0, 10, 10, 20}));
    EXPECT_FALSE(box.meets({10, 20, 20, 30}));
    EXPECT_FALSE(box.meets({10, 0, 20, 10}));
}

TEST(Chart, AFigureIsDrawnWideAndNarrowAndAPictureWideOnItsOwnPaper) {
    const auto size = [](const Frame& one) {
        return std::to_string(std::lround(one.plot_right())) + "x" + std::to_string(std::lround(one.plot_bottom())) +
               (one.is_narrow ? " narrow" : " wide");
    };
    EXPECT_EQ(figure("<l>", size),
              "<figure><svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart wide\" viewBox=\"0 0 900 440\" "
              "role=\"img\" aria-label=\"&lt;l&gt;\">870x388 wide</svg>\n"
              "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart narrow\" viewBox=\"0 0 360 380\" "
              "role=\"img\" aria-label=\"&lt;l&gt;\">340x330 narrow</svg>\n</figure>\n");
    const std::string alone = picture("l", size);
    EXPECT_NE(alone.find("width=\"899\" height=\"439\" rx=\"10\"/>870x388 wide</svg>"), std::string::npos) << alone;
}

}  // namespace
}  // namespace tw::measure
