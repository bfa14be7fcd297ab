// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/ladder.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

Run small_climb() {
    Run run{.command = "ladder", .machine = this_machine(), .clock_hz = 1e9};
    climb({.backend = find_backend("cpu"),
           .task = {.m = 17, .n = 33, .k = 9, .type = Type::f32, .threads = 1},
           .rungs = {"naive", "tile_16"},
           .budget = {.seconds = 0.05}},
          {}, run);
    return run;
}

TEST(Rows, AClimbJudgesAndTimesTheRungsThatAreNamed) {
    const measure::Run run = small_climb();
    ASSERT_GE(run.rows.size(), 2u);
    EXPECT_EQ(run.rows[0].kernel, "cpu.r1_naive.f32");
    EXPECT_EQ(run.rows[0].rung, "r1_naive");
    EXPECT_EQ(run.rows[0].accuracy, "fp32");
    for (const Row& row : run.rows) {
        EXPECT_TRUE(row.ok) << row.trouble;
        EXPECT_GT(row.gflops, 0);
        EXPECT_LE(row.gflops_low, row.gflops);
        EXPECT_GE(row.gflops_high, row.gflops);
        EXPECT_LT(row.error_over_bound, 1);
        EXPECT_GT(row.fraction_of_peak, 0);
        // Which of two measured roofs is the higher is noise where other work shares the core.
        const double unit = row.gflops / row.fraction_of_unit_peak;
        EXPECT_TRUE(std::any_of(run.calibrations.begin(), run.calibrations.end(),
                                [unit](const auto& roof) { return std::abs(roof.median - unit) < 1e-9 * unit; }))
            << row.kernel << ": " << unit;
        EXPECT_FALSE(row.idea.empty());
    }
    EXPECT_FALSE(run.calibrations.empty());
}

TEST(Rows, JsonHasGoogleBenchmarksFieldsAndOurs) {
    const measure::Run run = small_climb();
    const auto json = nlohmann::json::parse(to_json(run));
    for (const char* field : {"date", "host_name", "executable", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled",
                              "caches", "load_avg", "library_build_type"})
        EXPECT_TRUE(json["context"].contains(field)) << field;
    ASSERT_FALSE(json["benchmarks"].empty());
    for (const auto& entry : json["benchmarks"])
        for (const char* field : {"name",
                                  "run_name",
                                  "run_type",
                                  "repetitions",
                                  "iterations",
                                  "real_time",
                                  "cpu_time",
                                  "time_unit",
                                  "provider",
                                  "device",
                                  "kernel",
                                  "rung",
                                  "m",
                                  "n",
                                  "k",
                                  "type",
                                  "accuracy",
                                  "threads",
                                  "gflops",
                                  "fraction_of_peak",
                                  "fraction_of_unit_peak",
                                  "relative_error",
                                  "error_over_bound"})
            EXPECT_TRUE(entry.contains(field)) << field;
}

TEST(Rows, JsonIsReadBack) {
    const measure::Run run = small_climb();
    const std::vector<Row> rows = rows_from_json(to_json(run));
    ASSERT_EQ(rows.size(), run.rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].kernel, run.rows[i].kernel);
        ASSERT_EQ(rows[i].seconds.size(), run.rows[i].seconds.size());
        EXPECT_NEAR(rows[i].gflops, run.rows[i].gflops, 1e-6 * run.rows[i].gflops);
    }
    auto in_milliseconds = nlohmann::json::parse(to_json(run));
    for (auto& entry : in_milliseconds["benchmarks"]) {
        entry["real_time"] = entry["real_time"].get<double>() * 1e-6;
        entry["time_unit"] = "ms";
    }
    EXPECT_NEAR(rows_from_json(in_milliseconds.dump())[0].gflops, run.rows[0].gflops, 1e-6 * run.rows[0].gflops);
    EXPECT_THROW(rows_from_json("{}"), std::runtime_error);
    EXPECT_THROW(rows_from_json("{\"benchmarks\":[{}]}"), std::runtime_error);
    EXPECT_THROW(rows_from_json("not json"), std::runtime_error);
}

TEST(Rows, CsvQuotesAndMarkdownHasALineForEachRow) {
    measure::Run run = small_climb();
    run.rows[0].trouble = "said \"no\"";
    EXPECT_NE(to_csv(run).find("\"said \"\"no\"\"\""), std::string::npos);
    EXPECT_NE(to_markdown(run).find("| cpu.r1_naive.f32 | 17 x 33 x 9 | f32 | 1 |"), std::string::npos);
}

TEST(Rows, TheLadderInMarkdownNamesTheSeedsWords) {
    const std::string text = ladder_in_markdown();
    EXPECT_NE(text.find("| r1_naive | `cpu.r1_naive.f32` |"), std::string::npos);
    EXPECT_NE(text.find("tiled, tile_16, tile_32"), std::string::npos);
}

}  // namespace
}  // namespace tw::measure
