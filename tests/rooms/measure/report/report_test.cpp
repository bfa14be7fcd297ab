// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the report's page holds, and what it leaves out.
#include "rooms/measure/report/small_report.hpp"

#include <gtest/gtest.h>

#include "measure/counts.hpp"
#include "measure/report/chart.hpp"
#include "measure/report/effort.hpp"
#include "measure/report/rung_sources.hpp"

namespace tw::measure {
namespace {

TEST(Report, HasASectionForWhatWasMeasuredAndNoneForWhatWasNot) {
    ReportData data = small_report();
    const std::string page = report_page(data);
    for (const char* id : {"id=\"climb\"", "id=\"roofline\"", "id=\"accuracy\"", "id=\"shapes\"", "id=\"machine\""})
        EXPECT_NE(page.find(id), std::string::npos) << id;
    EXPECT_LT(page.size(), std::size_t{2} << 20);
    EXPECT_EQ(page.find(">nan"), std::string::npos);
    EXPECT_EQ(page.find("https:"), std::string::npos);
    data.climb.clear();
    data.points.clear();
    data.dial.clear();
    data.shapes.clear();
    const std::string less = report_page(data);
    for (const char* id : {"id=\"climb\"", "id=\"roofline\"", "id=\"accuracy\"", "id=\"shapes\"", "href=\"#climb\""})
        EXPECT_EQ(less.find(id), std::string::npos) << id;
}

TEST(Report, TextIsEscaped) { EXPECT_EQ(escaped("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;"); }

TEST(Report, EveryStopOfTheDialIsAPointAndARow) {
    const ReportData data = small_report();
    const std::string section = accuracy_section(data);
    ASSERT_EQ(data.dial.size(), dial_stops().size());
    for (const Row& row : data.dial) {
        EXPECT_TRUE(row.ok) << row.accuracy << ": " << row.trouble;
        EXPECT_NE(section.find("<tr><th scope=\"row\">" + row.accuracy + "</th>"), std::string::npos) << row.accuracy;
        EXPECT_NE(section.find("<title>" + row.accuracy + ", "), std::string::npos) << row.accuracy;
    }
    EXPECT_NE(section.find(">yes<"), std::string::npos) << "somebody is on the front";
    const std::string picture = accuracy_picture(data);
    EXPECT_EQ(picture.find("<svg xmlns="), 0u);
    EXPECT_NE(picture.find("prefers-color-scheme:dark"), std::string::npos);
    EXPECT_EQ(accuracy_picture({}), "");
}

TEST(Report, SectionsOfOtherRoomsStandBeforeTheMachine) {
    const std::string page =
        report_page({.further = {{"effort", "The effort dial", "<p>measured</p>"}, {"absent", "Nothing", ""}}});
    EXPECT_LT(page.find("id=\"effort\""), page.find("id=\"machine\""));
    EXPECT_EQ(page.find("id=\"absent\""), std::string::npos);
}

TEST(Report, AxesHaveRoundFigures) {
    EXPECT_EQ(tick_text(1e-7), "10⁻⁷");
    EXPECT_EQ(tick_text(1000), "1,000");
    EXPECT_EQ(tick_text(0.1), "0.1");
    const Axis linear = Axis::linear(87, 400, 0);
    EXPECT_EQ(linear.ticks(), (std::vector<double>{0, 20, 40, 60, 80, 100}));
    EXPECT_DOUBLE_EQ(linear.at(50), 200);
    const Axis decades = Axis::logarithmic(3e-8, 2e-3, 0, 60);
    EXPECT_EQ(decades.ticks().size(), 7u);
    EXPECT_NEAR(decades.at(1e-5), 30, 1e-9);
}

TEST(Report, FiguresHaveThreeDigitsThatMatter) {
    EXPECT_EQ(in_figures(0.234), "0.23");
    EXPECT_EQ(in_figures(23.44), "23.4");
    EXPECT_EQ(in_figures(123.4), "123");
    EXPECT_EQ(in_figures(12034), "12,034");
}

TEST(Report, TheHeartOfARungIsItsLoops) {
    ASSERT_FALSE(rung_sources().empty());
    const std::string heart = heart_of("cpu", "r1_naive");
    EXPECT_NE(heart.find("sum += times(read(x.a, i, p), read(x.b, p, j))"), std::string::npos) << heart;
    EXPECT_EQ(heart_of("cpu", "r99_none"), "");
}

TEST(Report, EveryRungHasItsWholeCode) {
    for (const RungSource& source : rung_sources()) {
        std::string file = source.file;
        file.resize(file.rfind('.'));
        if (file.ends_with("_sm90")) file.resize(file.size() - 5);
        const std::string heart = heart_of(source.backend, file);
        EXPECT_FALSE(heart.empty()) << source.backend << " " << source.file;
        EXPECT_TRUE(heart.ends_with("}\n") || heart.ends_with("};\n")) << source.file << ": it is cut off\n" << heart;
    }
}

TEST(Report, TellsThatTheMachineWasBusy) {
    ReportData data = small_report();
    data.machine.load[0] = 0;
    for (Row& row : data.climb) row.spread = 0.01;
    EXPECT_EQ(report_page(data).find("class=\"noise\""), std::string::npos);
    data.machine.load[0] = 14, data.machine.cores = 16;
    EXPECT_NE(report_page(data).find("the load was 14.0"), std::string::npos);
}

TEST(Report, ARungThatNoDeviceHasIsShownByItsCounts) {
    ReportData data = small_report();
    const auto card = "<h3 class=\"mono\">r9_async_pipeline</h3>";
    EXPECT_EQ(report_page(data).find(card), std::string::npos);
    data.counted = count_metal_rungs({.m = 32, .n = 32, .k = 32}, {"r9_async_pipeline"});
    if (data.counted.empty()) GTEST_SKIP() << "metal-check is not here";
    EXPECT_GT(data.counted.front().counts.async_copies, 0u) << data.counted.front().trouble;
    const std::string section = climb_section(data);
    for (const char* part : {card, "asynchronous copies", "flop/byte", "events[0] ="})
        EXPECT_NE(section.find(part), std::string::npos) << part;
}

// On a machine with a GPU: the climb of each device has its own words, and the roofs stand in the machine's table.
TEST(Report, AnotherDeviceStandsBesideTheProcessor) {
    ReportData data = small_report();
    std::vector<Row> others = data.climb;
    for (Row& row : others) row.device = "cuda", row.threads = 16;
    data.climb.insert(data.climb.end(), others.begin(), others.end());
    data.device_roofs = {{"cuda FMA f32", 51200, 66908}, {"cuda tensor core f16", 0, 1070530}};
    const std::string page = report_page(data);
    for (const char* part : {"1 thread of the device cpu", "on the device cuda. Each", "51,200 GFLOP/s", "1,070,530"})
        EXPECT_NE(page.find(part), std::string::npos) << part;
    EXPECT_EQ(page.find("16 threads of the device"), std::string::npos);
}

TEST(Report, RoofsAndLinesOfTheEffortDialHaveNames) {
    ReportData data = small_report();
    for (const RooflinePoint& point : data.points)
        EXPECT_NE(point.roof.find(", 1 thread"), std::string::npos) << point.kernel << ": " << point.roof;
    // A roof has its name where there is room for one: not beside another of nearly its height, as noise may have it.
    data.points.resize(1);
    RooflinePoint& low = data.points.front();
    low.attained = 1, low.peak = 100, low.bandwidth = 10, low.intensity = 1, low.predicted = 10;
    RooflinePoint high = low;
    high.peak = 1000, high.intensity = 1000, high.predicted = 1000;
    data.points.push_back(high);
    EXPECT_NE(roofline_section(data).find(data.points.front().roof + ": "), std::string::npos);
    const auto row = [](const char* layout, double bytes, double error) {
        return Row{.provider = "tilewright",
                   .m = 64,
                   .k = 64,
                   .relative_error = error,
                   .effort = EffortFigures{.layout = layout, .data = "gauss", .bytes_fraction = bytes}};
    };
    const std::string text =
        effort_section({row("planes", .5, .1), row("planes", .2, .2), row("tiers", .5, .3), row("tiers", .2, .4)}, {})
            .text;
    for (const char* part : {"<i class=\"way1\"></i>planes", "<i class=\"way3\"></i>tiers", "line way1", "line way3"})
        EXPECT_NE(text.find(part), std::string::npos) << part;
}

}  // namespace
}  // namespace tw::measure
