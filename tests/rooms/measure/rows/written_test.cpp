// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is made of timings, field by field, and how it is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "measure/rows/row.hpp"

namespace tw::measure {
namespace {

using nlohmann::json;

class Silent : public Entrant {
public:
    Judgement judge(const Task&) override { return {}; }
    double seconds(int) override { return 0; }
};

Timing timing_of(std::vector<double> seconds) {
    const auto entrant = std::make_shared<Silent>();
    entrant->provider = "tilewright", entrant->device = "cpu", entrant->kernel = "cpu.x", entrant->rung = "r3_x";
    entrant->accuracy = "fp32";
    Timing timing{.entrant = entrant, .passes = 4, .seconds = std::move(seconds)};
    timing.judgement = {.ok = true, .relative_error = 0.25, .error_over_bound = 0.5, .trouble = "none"};
    return timing;
}

const Task task{.m = 100, .n = 200, .k = 300, .type = Type::f32, .threads = 4};

TEST(MadeRow, HasTheMiddleItsIntervalAndSharesOfThePeaks) {
    const Timing timing = timing_of({0.002, 0.001, 0.004, 0.003, 0.005});
    const Row row = make_row(timing, task, {.fma = 8, .unit = 16});
    EXPECT_EQ(row.provider, "tilewright");
    EXPECT_EQ(row.device, "cpu");
    EXPECT_EQ(row.kernel, "cpu.x");
    EXPECT_EQ(row.rung, "r3_x");
    EXPECT_EQ(row.type, "f32");
    EXPECT_EQ(row.accuracy, "fp32");
    EXPECT_EQ(row.trouble, "none");
    EXPECT_EQ(row.m, 100);
    EXPECT_EQ(row.n, 200);
    EXPECT_EQ(row.k, 300);
    EXPECT_EQ(row.products, 1);
    EXPECT_EQ(row.threads, 4) << "the task's where the entrant has none of its own";
    EXPECT_EQ(row.passes, 4);
    EXPECT_EQ(row.relative_error, 0.25);
    EXPECT_EQ(row.error_over_bound, 0.5);
    EXPECT_TRUE(row.ok);
    EXPECT_TRUE(row.is_timed());
    EXPECT_TRUE(row.is_a_step());
    EXPECT_DOUBLE_EQ(row.gflops, 4) << "12 million flops in 3 ms";
    EXPECT_DOUBLE_EQ(row.gflops_low, 2.4);
    EXPECT_DOUBLE_EQ(row.gflops_high, 12);
    EXPECT_DOUBLE_EQ(row.spread, 1.0 / 3);
    EXPECT_DOUBLE_EQ(row.fraction_of_peak, 0.5);
    EXPECT_DOUBLE_EQ(row.fraction_of_unit_peak, 0.25);
}

TEST(MadeRow, OfABatchByAnEntrantWithThreadsOfItsOwn) {
    Timing timing = timing_of({0.03});
    timing.entrant->products = 10, timing.entrant->threads = 1;
    timing.failed = true;
    const Row row = make_row(timing, task, {.fma = 0, .unit = 16});
    EXPECT_EQ(row.products, 10);
    EXPECT_EQ(row.threads, 1);
    EXPECT_FALSE(row.ok);
    EXPECT_DOUBLE_EQ(row.seconds.front(), 0.003);
    EXPECT_DOUBLE_EQ(row.gflops, 4);
    EXPECT_DOUBLE_EQ(row.fraction_of_peak, 1) << "a quarter of the unit's, where FMA has no peak for the type";
    EXPECT_DOUBLE_EQ(row.fraction_of_unit_peak, 1);
    const Row without = make_row(timing, task, {});
    EXPECT_EQ(without.fraction_of_peak, 0);
    EXPECT_EQ(without.fraction_of_unit_peak, 0);
}

TEST(MadeRow, WhoseTimesMeanNothingHasNoSpeed) {
    const Timing timing = timing_of({0.03});
    timing.entrant->times_mean_nothing = true;
    const Row row = make_row(timing, task, {.fma = 8, .unit = 16});
    EXPECT_FALSE(row.is_timed());
    EXPECT_EQ(row.gflops, 0);
    EXPECT_EQ(row.fraction_of_peak, 0);
    EXPECT_FALSE(make_row(timing_of({}), task, {}).is_timed());
}

Run run_of(std::vector<Row> rows) {
    Run run{.command = "bench", .machine = {}, .clock_hz = 2.5e9, .rows = std::move(rows)};
    run.machine.host = "h", run.machine.processor = "a processor", run.machine.system = "s",
    run.machine.features = {"x"};
    run.machine.processors = 2, run.machine.cores = 1, run.machine.load[1] = 0.5, run.machine.date = "2026-11-24T10:00";
    run.machine.version = "9.9", run.machine.governor = "powersave";
    run.calibrations.push_back({"cpu", "a roof", 7, 0.125});
    return run;
}

TEST(Written, AsCsv) {
    Row silent;
    silent.provider = "a \"peer\"", silent.kernel = "k", silent.trouble = "no";
    const std::string text = to_csv(run_of({make_row(timing_of({0.002, 0.001, 0.004}), task, {.fma = 8}), silent}));
    EXPECT_EQ(
        text.substr(text.find('\n') + 1),
        "\"tilewright\",cpu,\"cpu.x\",r3_x,100,200,300,f32,fp32,4,3,0.002,6,3,12,0.375,0.75,0,0.25,0.5,1,\"none\"\n"
        "\"a \"\"peer\"\"\",,\"k\",,0,0,0,,,1,0,0,0,0,0,0,0,0,0,0,0,\"no\"\n");
    const std::string head = text.substr(0, text.find('\n'));
    EXPECT_EQ(std::count(head.begin(), head.end(), ','), 21);
}

TEST(Written, AsMarkdown) {
    Row silent, troubled;
    silent.kernel = "quiet", troubled.trouble = "wrong";
    measure::Run run = run_of({make_row(timing_of({0.002, 0.001, 0.004}), task, {.fma = 8}), silent, troubled});
    const std::string table =
        "| kernel | M x N x K | type | threads | GFLOP/s | 95 % interval | of FMA peak | error / bound |\n"
        "|---|---|---|--:|--:|--:|--:|--:|\n"
        "| cpu.x | 100 x 200 x 300 | f32 | 4 | 6.0 | 3.0 to 12.0 | 75.0 % | 0.5 |\n"
        "| quiet | 0 x 0 x 0 |  | 1 | not timed | | | |\n"
        "|  | 0 x 0 x 0 |  | 1 | wrong | | | |\n";
    EXPECT_EQ(to_markdown(run), "a processor, 1 core, tilewright 9.9, 2026-11-24.\n\n" + table);
    run.machine.cores = 2;
    EXPECT_EQ(to_markdown(run), "a processor, 2 cores, tilewright 9.9, 2026-11-24.\n\n" + table);
    EXPECT_EQ(share_of_peak(0), "");
    EXPECT_EQ(share_of_peak(0.617), "61.7 %");
}

TEST(Written, AsJsonTheMachineIsTold) {
    const json context = json::parse(to_json(run_of({})))["context"];
    EXPECT_EQ(context["executable"], "tw bench");
    EXPECT_EQ(context["date"], "2026-11-24T10:00");
    EXPECT_EQ(context["host_name"], "h");
    EXPECT_EQ(context["num_cpus"], 2);
    EXPECT_EQ(context["cores"], 1);
    EXPECT_EQ(context["mhz_per_cpu"], 2500);
    EXPECT_EQ(context["cpu_scaling_enabled"], true);
    EXPECT_EQ(context["load_avg"], json({0.0, 0.5, 0.0}));
    EXPECT_EQ(context["library_build_type"], "release");
    EXPECT_EQ(context["interrupted"], false);
    EXPECT_EQ(context["calibrations"][0],
              json({{"device", "cpu"}, {"name", "a roof"}, {"median", 7.0}, {"spread", 0.125}}));
    for (const json& cache : context["caches"]) {
        EXPECT_GE(cache["level"], 1);
        EXPECT_LE(cache["level"], 4);
    }
    measure::Run another = run_of({});
    another.machine.governor = "performance", another.machine.has_speed = false, another.interrupted = true;
    const json its = json::parse(to_json(another))["context"];
    EXPECT_EQ(its["cpu_scaling_enabled"], false);
    EXPECT_EQ(its["library_build_type"], "debug");
    EXPECT_EQ(its["interrupted"], true);
    another.machine.governor = "";
    EXPECT_EQ(json::parse(to_json(another))["context"]["cpu_scaling_enabled"], false) << "nobody said";
}

TEST(Written, AsJsonEachSampleIsARepetitionAndFourAggregatesFollow) {
    const json all = json::parse(to_json(run_of({make_row(timing_of({0.002, 0.001}), task, {.fma = 8, .unit = 16})})));
    const json& entries = all["benchmarks"];
    ASSERT_EQ(entries.size(), 6u);
    const std::string name = "bench/cpu.x/100x200x300/f32/threads:4";
    for (const json& entry : entries) {
        EXPECT_EQ(entry["run_name"], name);
        EXPECT_EQ(entry["family_index"], 0);
        EXPECT_EQ(entry["per_family_instance_index"], 0);
        EXPECT_EQ(entry["repetitions"], 2);
        EXPECT_EQ(entry["threads"], 4);
        EXPECT_EQ(entry["cpu_time"], entry["real_time"]);
        EXPECT_EQ(entry["time_unit"], "ns");
        EXPECT_EQ(entry["m"], 100);
        EXPECT_EQ(entry["products"], 1);
    }
    EXPECT_EQ(entries[0]["name"], name);
    EXPECT_EQ(entries[0]["run_type"], "iteration");
    EXPECT_EQ(entries[0]["repetition_index"], 0);
    EXPECT_EQ(entries[1]["repetition_index"], 1);
    EXPECT_EQ(entries[0]["iterations"], 4);
    EXPECT_DOUBLE_EQ(entries[0]["real_time"], 2e6);
    EXPECT_DOUBLE_EQ(entries[0]["gflops"], 6) << "of this sample";
    EXPECT_DOUBLE_EQ(entries[1]["gflops"], 12);
    EXPECT_DOUBLE_EQ(entries[1]["fraction_of_peak"], 1.5);
    EXPECT_DOUBLE_EQ(entries[1]["fraction_of_unit_peak"], 0.75);
    const char* const aggregates[] = {"mean", "median", "stddev", "cv"};
    const double times[] = {1.5e6, 1.5e6, 1e6 * std::sqrt(0.5), std::sqrt(0.5) / 1.5};
    for (std::size_t i = 0; i < 4; ++i) {
        const json& entry = entries[2 + i];
        EXPECT_EQ(entry["name"], name + "_" + aggregates[i]);
        EXPECT_EQ(entry["aggregate_name"], aggregates[i]);
        EXPECT_EQ(entry["run_type"], "aggregate");
        EXPECT_EQ(entry["aggregate_unit"], i == 3 ? "percentage" : "time");
        EXPECT_EQ(entry["iterations"], 2);
        EXPECT_NEAR(entry["real_time"], times[i], 1e-9 * times[i]);
        EXPECT_DOUBLE_EQ(entry["gflops"], i < 2 ? 8 : 0) << aggregates[i];
    }
}

TEST(Written, AsJsonARowWithoutTimesIsOneEntry) {
    Row wrong, untimed;
    wrong.trouble = "is wrong", wrong.products = 3, untimed.ok = true;
    const json entries = json::parse(to_json(run_of({wrong, untimed})))["benchmarks"];
    ASSERT_EQ(entries.size(), 2u);
    EXPECT_EQ(entries[0]["error_occurred"], true);
    EXPECT_EQ(entries[0]["error_message"], "is wrong");
    EXPECT_EQ(entries[0]["name"], "bench//0x0x0/products:3//threads:1");
    EXPECT_FALSE(entries[1].contains("error_occurred"));
    for (const json& entry : entries) {
        EXPECT_EQ(entry["real_time"], 0);
        EXPECT_EQ(entry["iterations"], 0);
        EXPECT_EQ(entry["repetition_index"], 0);
        EXPECT_EQ(entry["gflops"], 0);
    }
    EXPECT_EQ(entries[1]["family_index"], 1);
    const std::vector<Row> back = rows_from_json(to_json(run_of({wrong, untimed})));
    ASSERT_EQ(back.size(), 2u);
    EXPECT_FALSE(back[0].ok);
    EXPECT_TRUE(back[1].ok);
    EXPECT_EQ(back[0].products, 3);
    EXPECT_FALSE(back[0].is_timed() || back[1].is_timed());
}

TEST(Written, ADialsFiguresComeBackFromJson) {
    Row row = make_row(timing_of({0.002, 0.001, 0.004}), task, {.fma = 8, .unit = 16});
    row.effort = EffortFigures{.layout = "planes",
                               .data = "normal",
                               .point = "effort",
                               .effort = 0.25,
                               .bytes_fraction = 0.125,
                               .predicted_error = 0.01,
                               .gbps = 20,
                               .speedup = 3};
    Row unknown = row;
    unknown.kernel = "cpu.y", unknown.effort->predicted_error = NAN;
    const std::string text = to_json(run_of({row, unknown}));
    EXPECT_DOUBLE_EQ(json::parse(text)["benchmarks"][1]["gbps"], 40) << "the second sample took half as long";
    EXPECT_DOUBLE_EQ(json::parse(text)["benchmarks"][1]["speedup"], 6);
    const std::vector<Row> back = rows_from_json(text);
    ASSERT_EQ(back.size(), 2u);
    const EffortFigures& figures = back[0].effort.value();
    EXPECT_EQ(figures.layout, "planes");
    EXPECT_EQ(figures.data, "normal");
    EXPECT_EQ(figures.point, "effort");
    EXPECT_EQ(figures.effort, 0.25);
    EXPECT_EQ(figures.bytes_fraction, 0.125);
    EXPECT_EQ(figures.predicted_error, 0.01);
    EXPECT_DOUBLE_EQ(figures.gbps, 20);
    EXPECT_DOUBLE_EQ(figures.speedup, 3);
    EXPECT_TRUE(std::isnan(back[1].effort->predicted_error));
}

TEST(Written, RowsComeBackFromJsonInAnyUnit) {
    const Row row = make_row(timing_of({0.002, 0.001, 0.004}), task, {.fma = 8, .unit = 16});
    json all = json::parse(to_json(run_of({row})));
    for (const auto& [unit, factor] :
         std::vector<std::pair<const char*, double>>{{"ns", 1}, {"us", 1e-3}, {"ms", 1e-6}, {"s", 1e-9}}) {
        json changed = all;
        for (json& entry : changed["benchmarks"]) {
            entry["real_time"] = entry["real_time"].get<double>() * factor;
            entry["time_unit"] = unit;
        }
        const std::vector<Row> back = rows_from_json(changed.dump());
        ASSERT_EQ(back.size(), 1u);
        ASSERT_EQ(back[0].seconds.size(), 3u) << "aggregates are no samples";
        EXPECT_DOUBLE_EQ(back[0].seconds[1], 0.001) << unit;
        EXPECT_DOUBLE_EQ(back[0].gflops, 6);
        EXPECT_DOUBLE_EQ(back[0].gflops_low, 3);
        EXPECT_DOUBLE_EQ(back[0].gflops_high, 12);
        EXPECT_DOUBLE_EQ(back[0].spread, row.spread);
        EXPECT_DOUBLE_EQ(back[0].fraction_of_peak, 0.75);
        EXPECT_DOUBLE_EQ(back[0].fraction_of_unit_peak, 0.375);
        EXPECT_EQ(back[0].provider, "tilewright");
        EXPECT_EQ(back[0].device, "cpu");
        EXPECT_EQ(back[0].rung, "r3_x");
        EXPECT_EQ(back[0].type, "f32");
        EXPECT_EQ(back[0].accuracy, "fp32");
        EXPECT_EQ(back[0].k, 300);
        EXPECT_EQ(back[0].threads, 4);
        EXPECT_EQ(back[0].relative_error, 0.25);
        EXPECT_EQ(back[0].error_over_bound, 0.5);
    }
    EXPECT_THROW(rows_from_json("[]"), std::runtime_error);
    EXPECT_THROW(rows_from_json("{\"benchmarks\":{}}"), std::runtime_error);
}

}  // namespace
}  // namespace tw::measure
