// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The report as a browser has it: at three widths, light and dark, nothing overflows or fades, every walk steps, no
// request leaves the page; and it prints.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "rooms/measure/report/small_report.hpp"

namespace tw::measure {
namespace {

/// Put into the page by this test alone: clicks through, looks, and tells the page around it.
constexpr const char* probe = R"js(<script>
addEventListener("load", () => {
  const wrong = [], width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) wrong.push("page wider than " + width);
  const hides = (e) => {
    for (let p = e.parentElement; p; p = p.parentElement)
      if (["auto", "scroll"].includes(getComputedStyle(p).overflowX)) return true;
    return false;
  };
  for (const e of document.querySelectorAll("body *")) {
    const box = e.getBoundingClientRect();
    if (box.width && box.right > width + 1 && !hides(e) && !e.classList.contains("skip"))
      wrong.push(e.tagName + "." + e.getAttribute("class") + " ends at " + Math.round(box.right));
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
    const slider = walk.querySelector("input");
    slider.value = slider.max;
    slider.dispatchEvent(new Event("input"));
    if (!told.textContent.startsWith(`Step ${slider.max} of ${slider.max}:`))
      wrong.push("the slider does not move the walk");
  }
  const rungs = [...document.querySelectorAll(".rung")].map((e) => e.getBoundingClientRect());
  for (let i = 1; i < rungs.length; ++i)
    if (rungs[i].top < rungs[i - 1].bottom - 1) wrong.push("cards overlap");
  for (const chart of document.querySelectorAll("svg.chart")) {
    const labels = [...chart.querySelectorAll("text")].map((e) => [e.textContent, e.getBoundingClientRect()]);
    const points = [...chart.querySelectorAll("circle")].map((e) => ["a point", e.getBoundingClientRect()]);
    for (let i = 0; i < labels.length; ++i)
      for (const [other, two] of [...labels.slice(0, i), ...points]) {
        const [text, one] = labels[i];
        if (one.left < two.right - 2 && two.left < one.right - 2 && one.top < two.bottom - 6 &&
            two.top < one.bottom - 6)
          wrong.push(`"${text}" lies on ${other}`);
      }
  }
  for (const image of document.querySelectorAll("svg"))
    if (!image.getAttribute("aria-label")) wrong.push("a picture without words");
  const channel = (c) => {
    c /= 255;
    return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const colour = (text) => (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const ground = (e) => {
    for (let p = e; p; p = p.parentElement) {
      const c = colour(getComputedStyle(p).backgroundColor);
      if (c.length === 3 || c[3] === 1) return c;
    }
    return [255, 255, 255];
  };
  for (const e of document.querySelectorAll(
           "h1,h2,h3,p,a,td,th,dt,dd,summary,button,output,code,.name,.value,caption,svg text")) {
    if (!e.textContent.trim() || !e.getBoundingClientRect().width || e.style.background) continue;
    const style = getComputedStyle(e), one = light(colour(e instanceof SVGElement ? style.fill : style.color)),
          two = light(ground(e));
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < 4.5)
      wrong.push(`${e.tagName}.${e.getAttribute("class")} has a contrast of ${contrast.toFixed(2)}`);
  }
  for (const e of document.querySelectorAll(".scroll, pre"))
    if (e.tabIndex < 0) wrong.push("what scrolls can't be reached by keyboard");
  for (const chart of document.querySelectorAll("figure"))
    if (chart.nextElementSibling?.tagName !== "DETAILS") wrong.push("a chart without its table");
  const theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const requests = performance.getEntriesByType("resource").length;
  parent.postMessage(
      `${theme} at ${width}: ${steps} walks, ${requests} requests, ${wrong.length ? wrong.join("; ") : "all well"}`,
      "*");
});
</script></body>)js";

class Browser : public testing::Test {
protected:
    void SetUp() override {
        if (std::system("command -v chromium > /dev/null 2>&1") != 0) GTEST_SKIP() << "chromium is not installed";
        char name[] = "/tmp/tilewright-report-XXXXXX";
        folder_ = mkdtemp(name);
    }
    void TearDown() override {
        if (!folder_.empty()) std::filesystem::remove_all(folder_);
    }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ + "/" + name) << text; }

    /// What the browser prints, for the page by that name.
    std::string browse(const std::string& flags, const std::string& name) const {
        const std::string command =
            "HOME=" + folder_ +
            " timeout 100 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --hide-scrollbars "
            "--window-size=1600,1000 --virtual-time-budget=10000 " +
            flags + " file://" + folder_ + "/" + name + " 2>/dev/null";
        std::string told;
        FILE* pipe = popen(command.c_str(), "r");
        char part[4096];
        while (const std::size_t got = std::fread(part, 1, sizeof part, pipe)) told.append(part, got);
        pclose(pipe);
        return told;
    }

    std::string folder_;
};

TEST_F(Browser, FindsNothingWrongAtThreeWidthsInLightAndDark) {
    std::string page = report_page(small_report());
    page.replace(page.rfind("</body>"), 7, probe);
    write("page.html", page);
    std::string around =
        "<!doctype html><meta name=color-scheme content='light dark'><pre "
        "id=told></pre><script>onmessage=e=>told.textContent+=e.data+'\\n'</script>";
    for (const int width : {390, 820, 1400})
        around += "<iframe style='border:0;width:" + std::to_string(width) + "px;height:900px' src=page.html></iframe>";
    write("around.html", around);
    for (const auto& [theme, flags] :
         {std::pair("light", "--dump-dom"), std::pair("dark", "--force-dark-mode --dump-dom")}) {
        const std::string told = browse(flags, "around.html"), result = told.substr(0, told.find("</pre>"));
        for (const char* width : {"390", "820", "1400"}) {
            const std::size_t at = result.find(std::string(theme) + " at " + width + ": ");
            ASSERT_NE(at, std::string::npos) << result;
            const std::string line = result.substr(at, result.find('\n', at) - at);
            EXPECT_NE(line.find("0 requests, all well"), std::string::npos) << line;
            EXPECT_EQ(line.find(": 0 walks"), std::string::npos) << line;
        }
    }
}

TEST_F(Browser, PrintsItOnPages) {
    write("page.html", report_page(small_report()));
    browse("--no-pdf-header-footer --print-to-pdf=" + folder_ + "/page.pdf", "page.html");
    std::ifstream file(folder_ + "/page.pdf", std::ios::binary);
    const std::string pdf{std::istreambuf_iterator<char>(file), {}};
    EXPECT_EQ(pdf.rfind("%PDF-", 0), 0u);
    int pages = 0;
    for (std::size_t at = 0; (at = pdf.find("/Type /Page\n", at)) != std::string::npos; ++at) ++pages;
    EXPECT_GE(pages, 3) << "the climb alone is longer than a page";
    EXPECT_LE(pages, 20);
}

}  // namespace
}  // namespace tw::measure
