// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The report as a browser has it: at three widths nothing overflows, every walk steps, no request leaves the page.
#include "measure/report.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "measure/ladder.hpp"
#include "measure/points.hpp"
#include "measure/rung_sources.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

/// Measured here, in little time: a page shows nothing else.
ReportData small_data() {
    measure::Run run{.command = "ladder", .machine = this_machine(), .clock_hz = 1e9};
    climb({.backend = find_backend("cpu"), .task = {.m = 32, .n = 32, .k = 32, .threads = 1}, .budget = {.seconds = 0.1}}, {}, run);
    ReportData data{.machine = run.machine, .clock_hz = 1e9, .climb = run.rows};
    data.shapes = run.rows;
    data.shapes.back().provider = "another";
    data.bandwidths = measure_bandwidths(0.002, 1);
    data.units = measure_units(0.002, 1);
    data.points = points_of(data.climb, data.bandwidths);
    return data;
}

TEST(Report, HasASectionForWhatWasMeasuredAndNoneForWhatWasNot) {
    ReportData data = small_data();
    const std::string page = report_page(data);
    for (const char* id : {"id=\"climb\"", "id=\"roofline\"", "id=\"accuracy\"", "id=\"shapes\"", "id=\"machine\""})
        EXPECT_NE(page.find(id), std::string::npos) << id;
    EXPECT_LT(page.size(), std::size_t{2} << 20);
    EXPECT_EQ(page.find("nan"), std::string::npos);
    EXPECT_EQ(page.find("https:"), std::string::npos);
    data.climb.clear();
    data.points.clear();
    data.shapes.clear();
    const std::string less = report_page(data);
    for (const char* id : {"id=\"climb\"", "id=\"roofline\"", "id=\"accuracy\"", "id=\"shapes\"", "href=\"#climb\""})
        EXPECT_EQ(less.find(id), std::string::npos) << id;
}

TEST(Report, TextIsEscaped) { EXPECT_EQ(escaped("<a href=\"&\">"), "&lt;a href=&quot;&amp;&quot;&gt;"); }

TEST(Report, FiguresHaveThreeDigitsThatMatter) {
    EXPECT_EQ(in_figures(0.234), "0.23");
    EXPECT_EQ(in_figures(23.44), "23.4");
    EXPECT_EQ(in_figures(123.4), "123");
    EXPECT_EQ(in_figures(12034), "12,034");
}

TEST(Report, TheHeartOfARungIsItsLoops) {
    ASSERT_FALSE(rung_sources().empty());
    const std::string heart = heart_of("cpu", "r1_naive");
    EXPECT_NE(heart.find("sum += a(i, p) * b(p, j)"), std::string::npos) << heart;
    EXPECT_EQ(heart_of("cpu", "r99_none"), "");
}

/// Put into the page by this test alone: clicks through, looks, and tells the page around it.
constexpr const char* probe = R"js(<script>
addEventListener("load", () => {
  const wrong = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push("page wider than " + width);
  const hides = (e) => { for (let p = e.parentElement; p; p = p.parentElement) if (["auto", "scroll"].includes(getComputedStyle(p).overflowX)) return true; return false; };
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !hides(e) && !e.classList.contains("skip")) wrong.push(e.tagName + "." + e.getAttribute("class") + " ends at " + Math.round(box.right));
  }
  for (const d of document.querySelectorAll("details")) d.open = true;
  let steps = 0;
  for (const walk of document.querySelectorAll(".walk")) {
    const told = walk.querySelector("output"), before = told.textContent;
    walk.querySelectorAll("button")[2].click();
    if (told.textContent === before) wrong.push("a walk that does not step");
    else ++steps;
    walk.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowLeft"}));
    if (told.textContent !== before) wrong.push("the left arrow does not go back");
  }
  const rungs = [...document.querySelectorAll(".rung")].map((e) => e.getBoundingClientRect());
  for (let i = 1; i < rungs.length; ++i) if (rungs[i].top < rungs[i - 1].bottom - 1) wrong.push("cards overlap");
  for (const chart of document.querySelectorAll("svg.chart")) {
    const labels = [...chart.querySelectorAll("text.strong")].map((e) => e.getBoundingClientRect());
    for (let i = 0; i < labels.length; ++i) for (let j = 0; j < i; ++j)
      if (labels[i].left < labels[j].right - 2 && labels[j].left < labels[i].right - 2 && labels[i].top < labels[j].bottom - 6 && labels[j].top < labels[i].bottom - 6) wrong.push("labels overlap");
  }
  for (const image of document.querySelectorAll("svg")) if (!image.getAttribute("aria-label")) wrong.push("a picture without words");
  const requests = performance.getEntriesByType("resource").length;
  parent.postMessage(`width ${width}: ${steps} walks, ${requests} requests, ${wrong.length ? wrong.join("; ") : "all well"}`, "*");
});
</script></body>)js";

TEST(Report, ABrowserFindsNothingWrongAtThreeWidths) {
    if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
    char name[] = "/tmp/tilewright-report-XXXXXX";
    const std::string folder = mkdtemp(name);
    std::string page = report_page(small_data());
    page.replace(page.rfind("</body>"), 7, probe);
    std::ofstream(folder + "/page.html") << page;
    std::ofstream around(folder + "/around.html");
    around << "<!doctype html><pre id=told></pre><script>onmessage=e=>told.textContent+=e.data+'\\n'</script>";
    for (const int width : {390, 834, 1440}) around << "<iframe style='border:0;width:" << width << "px;height:900px' src=page.html></iframe>";
    around.close();
    const std::string command = "HOME=" + folder + " timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars --window-size=1600,1000 "
                                "--virtual-time-budget=10000 --dump-dom file://" + folder + "/around.html 2>/dev/null";
    std::string told;
    FILE* pipe = popen(command.c_str(), "r");
    char part[4096];
    while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) told.append(part, got);
    pclose(pipe);
    std::filesystem::remove_all(folder);
    const std::string result = told.substr(0, told.find("</pre>"));
    for (const char* width : {"width 390: ", "width 834: ", "width 1440: "}) {
        const std::size_t at = result.find(width);
        ASSERT_NE(at, std::string::npos) << result;
        const std::string line = result.substr(at, result.find('\n', at) - at);
        EXPECT_NE(line.find("0 requests, all well"), std::string::npos) << line;
        EXPECT_EQ(line.find(": 0 walks"), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace tw::measure
