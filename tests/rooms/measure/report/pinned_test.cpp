// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The whole page of figures that are given, letter by letter, by a digest of each part: whatever is drawn elsewhere or
// written otherwise is seen. Who means to change a part looks at it (a failure says where it lies) and takes its new
// digest.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "measure/report/effort.hpp"
#include "measure/report/report.hpp"

namespace tw::measure {
namespace {

Row row(const char* provider, const char* device, const char* kernel, const char* rung, double gflops, double error) {
    Row made{.provider = provider,
             .device = device,
             .kernel = kernel,
             .rung = rung,
             .type = "f32",
             .accuracy = "fp32",
             .m = 512,
             .n = 384,
             .k = 1024,
             .threads = 4,
             .seconds = {4e-3, 5e-3, 6e-3},
             .gflops = gflops,
             .gflops_low = gflops * 0.9,
             .gflops_high = gflops * 1.25,
             .spread = 0.125,
             .fraction_of_peak = gflops / 2000,
             .fraction_of_unit_peak = gflops / 3000,
             .relative_error = error,
             .error_over_bound = error * 1e4,
             .ok = true};
    return made;
}

ReportData given() {
    ReportData data{.machine = {.host = "host",
                                .processor = "A <processor> & Co",
                                .system = "Linux 6.1",
                                .features = {"avx2", "fma"},
                                .processors = 8,
                                .cores = 4,
                                .quota = 2,
                                .memory_gib = 31.25,
                                .governor = "performance",
                                .load = {1.5, 0.75, 0.25},
                                .date = "2026-11-28T10:00:00+00:00",
                                .version = "0.0",
                                .compiler = "a compiler",
                                .variables = "TW_LOG=1"},
                    .clock_hz = 3.25e9};
    data.climb = {row("tilewright", "cpu", "cpu.r1_example.f32", "r1_naive", 1.5, 3e-7),
                  row("tilewright", "cpu", "cpu.r3_example.f32.16", "r3_tiled", 12.5, 3e-7),
                  row("tilewright", "cpu", "cpu.r3_example.f32.32", "r3_tiled", 14.5, 3e-7),
                  row("tilewright", "cpu", "cpu.r7_example.f32.avx2", "r7_hierarchical", 1234.5, 2e-7),
                  row("tilewright", "cpu", "cpu.r8_example.bf16.amx", "r8_matrix_unit", 900, 4e-3),
                  row("openblas", "cpu", "openblas 0.3 Zen", "", 1100, 2.5e-7),
                  row("mkl", "cpu", "mkl 2024", "", 1000, 2.5e-7),
                  row("tilewright", "cuda", "cuda.r7_example.f32", "r7_hierarchical", 5e4, 2e-7)};
    data.climb[0].threads = 1;
    Row untimed = row("tilewright", "cpu", "cpu.r9_example.f32", "r9_async_pipeline", 9999, 1);
    untimed.seconds.clear();
    data.climb.push_back(untimed);
    const std::pair<const char*, const char*> stops[] = {
        {"fp64", "cpu.r6_example.f64"},           {"fp32", "cpu.r7_example.f32.avx2"},
        {"tf32", "cpu.r8_example.tf32"},          {"bf16x3", "cpu.r8_example.tf32"},
        {"relative:1e-3", "cpu.r8_example.tf32"}, {"bf16", "cpu.r8_example.bf16.amx"}};
    for (const auto& [accuracy, kernel] : stops) {
        const auto i = static_cast<double>(data.dial.size());
        data.dial.push_back(row("tilewright", "cpu", kernel, "r7", 400 + 210 * i,
                                i < 2   ? 2e-16 * (1 + i * 1e9)
                                : i < 5 ? 2e-4
                                        : 3e-3));
        data.dial.back().accuracy = accuracy;
    }
    data.dial.push_back(untimed);
    for (const std::int64_t side : {64, 256, 1024})
        for (const auto& [provider, rate] : {std::pair("tilewright", 100.0), {"openblas", 80.0}, {"mkl", 120.0}}) {
            data.shapes.push_back(row(provider, "cpu", provider, "", rate + static_cast<double>(side) / 8, 1e-7));
            data.shapes.back().m = data.shapes.back().n = data.shapes.back().k = side;
        }
    for (const Row& one : data.climb)
        if (one.provider == std::string("tilewright") && one.is_timed())
            data.points.push_back({.device = one.device,
                                   .kernel = one.kernel,
                                   .rung = one.rung,
                                   .bound = "the arithmetic of FMA avx2",
                                   .level = "L2",
                                   .roof = "FMA avx2 f32, 4 threads",
                                   .intensity = 0.25 * one.gflops / 10,
                                   .predicted = one.gflops * 1.5,
                                   .attained = one.gflops,
                                   .peak = 2000,
                                   .bandwidth = 200});
    UnitPeak unit;
    unit.loop = {"FMA avx2", "f32", 0, false, 16, 12, nullptr};
    unit.gflops = 98, unit.all_threads_gflops = 380, unit.clock_hz = 3.25e9, unit.threads = 4, unit.pipes = 2;
    data.units = {unit};
    data.bandwidths = {{"L1", 32768, 300, 1}, {"L2", 524288, 150, 1}, {"memory", 1 << 30, 41.5, 4}};
    data.device_roofs = {{"cuda FMA f32", 51200, 66908}, {"cuda memory", 3000, 3350, true}, {"cuda i8", 0, 1.5e6}};
    data.further = {{"more", "More", "<p>of another room</p>"}};
    return data;
}

/// Figures that are crowded somewhere, so that names must make way for one another and for lines.
ReportData crowded(std::uint32_t state) {
    const auto next = [&state] {
        state = state * 1664525u + 1013904223u;
        return static_cast<double>(state >> 8) / (1 << 24);
    };
    ReportData data = given();
    const double lowest = -16 + 10 * next(), width = 12 * next(), most = 2000 * next() + 10;
    for (std::vector<Row>* rows : {&data.dial, &data.climb})
        for (Row& one : *rows) {
            one.gflops = most * (0.5 + next() / 2);
            one.relative_error = std::pow(10, lowest + width * next());
            if (next() < 0.3) one.kernel = "cpu.r7_example.f32.avx2";
        }
    for (RooflinePoint& point : data.points) {
        point.intensity = std::pow(10, 3 * next() - 1), point.attained = most * next(), point.predicted = most * next();
        point.peak = most * (1 + std::floor(2 * next())), point.bandwidth = 100 * (1 + std::floor(3 * next()));
        if (next() < 0.5) point.device = "cpu";
    }
    return data;
}

std::vector<Row> effort_rows(bool is_speed) {
    std::vector<Row> rows;
    int number = 0;
    for (const char* layout : {"planes", "tiers", "order", "q4_0", "teal"})
        for (const char* of : {"gauss", "swiglu", "real"})
            for (const double bytes : {0.1, 0.35, 0.5}) {
                ++number;
                Row one = row(std::string(layout) < "planes" || layout[0] == 't' ? "tilewright" : "another", "cpu",
                              layout, layout, 10 + number, 0.3 / (1 + 3 * bytes) + 0.001 * number);
                one.effort = EffortFigures{.layout = layout,
                                           .data = of,
                                           .point = "effort",
                                           .effort = bytes,
                                           .bytes_fraction = bytes,
                                           .predicted_error = 0.2,
                                           .gbps = is_speed ? 20 + 10 * bytes : 0,
                                           .speedup = is_speed ? 0.9 / bytes : 0};
                if (!is_speed) one.seconds.clear();
                rows.push_back(one);
            }
    return rows;
}

/// Fowler, Noll and Vo's hash.
std::uint64_t digest(const std::string& text) {
    std::uint64_t hash = 14695981039346656037u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return hash;
}

void expect_pinned(const char* name, const std::string& text, std::uint64_t pinned) {
    EXPECT_NE(text, "") << name;
    if (digest(text) == pinned) return;
    const std::string file =
        (std::filesystem::temp_directory_path() / ("tilewright-" + std::to_string(getpid()) + "-" + name)).string();
    std::ofstream(file) << text;
    ADD_FAILURE() << name << " has the digest " << digest(text) << "u and lies in " << file;
}

/// A page without its style and its script, which have files and tests of their own.
std::string bare(std::string page) {
    for (const char* tag : {"style>", "script>"}) {
        const std::size_t from = page.find(std::string("<") + tag), to = page.find(std::string("</") + tag);
        page.erase(from, to - from);
    }
    return page;
}

TEST(PinnedReport, FiguresAtItsTopAreOfTheFirstDevice) {
    const auto headline = [](const ReportData& data) {
        const std::string page = report_page(data);
        const std::size_t from = page.find("<dl class=\"headline\">");
        return from == std::string::npos ? "" : page.substr(from, page.find("</dl>", from) - from);
    };
    ReportData data = given();
    EXPECT_EQ(headline(data),
              "<dl class=\"headline\"><div><dt>the best rung, r7 avx2</dt><dd>1,234 <small>GFLOP/s</small></dd></div>"
              "<div><dt>of what its unit can do</dt><dd>41 <small>%</small></dd></div>"
              "<div><dt>the first rung</dt><dd>823 <small>times</small></dd></div>"
              "<div><dt>the best other library here, openblas</dt><dd>1.12 <small>times</small></dd></div>");
    data.climb[3].accuracy = "tf32", data.climb[3].fraction_of_unit_peak = 0;
    EXPECT_EQ(headline(data).find("of what its unit"), std::string::npos);
    EXPECT_EQ(headline(data).find("the best other"), std::string::npos) << "another accuracy is no rival's";
    data.climb.erase(data.climb.begin(), data.climb.begin() + 3), data.climb.resize(1);
    EXPECT_EQ(headline(data).find("the first rung"), std::string::npos) << "it is the first";
    data.climb = {given().climb.back()};
    EXPECT_EQ(headline(data), "") << "it is not timed";
}

TEST(PinnedReport, EachPartIsAsItWas) {
#if !defined(__linux__) || !defined(__x86_64__)
    GTEST_SKIP() << "the last digit of a coordinate may be another here";
#endif
    const ReportData data = given();
    expect_pinned("climb", climb_section(data), 11767335558171976283u);
    expect_pinned("roofline", roofline_section(data), 6991459237944471399u);
    expect_pinned("accuracy", accuracy_section(data), 16798802816936625961u);
    expect_pinned("picture", accuracy_picture(data), 1471102792537389432u);
    expect_pinned("shapes", shapes_section(data), 2187867226516670408u);
    expect_pinned("machine", machine_section(data), 8925521989222780184u);
    std::string crowds;
    for (std::uint32_t seed = 1; seed <= 150; ++seed) {
        const ReportData crowd = crowded(seed);
        crowds += accuracy_section(crowd) + roofline_section(crowd);
    }
    expect_pinned("crowds", crowds, 8059403228466656514u);
    expect_pinned("page", bare(report_page(data)), 2927870407936250270u);
    expect_pinned("effort", effort_section(effort_rows(false), effort_rows(true)).text, 5787733886579751117u);
}

}  // namespace
}  // namespace tw::measure
