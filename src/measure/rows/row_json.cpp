// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "measure/basis/statistics.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {
namespace {

using Json = nlohmann::ordered_json;

double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double deviation(const std::vector<double>& values) {
    if (values.size() < 2) return 0;
    const double middle = mean(values);
    double sum = 0;
    for (const double value : values) sum += (value - middle) * (value - middle);
    return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

Json context(const Run& run) {
    const Machine& machine = run.machine;
    Json caches = Json::array();
    for (const CacheLevel& level : cache_levels())
        caches.push_back({{"type", "Data"},
                          {"level", level.name.back() - '0'},
                          {"size", level.bytes},
                          {"num_sharing", level.shared_by}});
    Json roofs = Json::array();
    for (const Run::Roofline& roof : run.calibrations)
        roofs.push_back(
            {{"device", roof.device}, {"name", roof.name}, {"median", roof.median}, {"spread", roof.spread}});
    return {{"date", machine.date},
            {"host_name", machine.host},
            {"executable", "tw " + run.command},
            {"num_cpus", machine.processors},
            {"mhz_per_cpu", std::lround(run.clock_hz * 1e-6)},
            {"cpu_scaling_enabled", !machine.governor.empty() && machine.governor != "performance"},
            {"caches", caches},
            {"load_avg", {machine.load[0], machine.load[1], machine.load[2]}},
            {"library_build_type", machine.has_speed ? "release" : "debug"},
            {"tilewright_version", machine.version},
            {"processor", machine.processor},
            {"system", machine.system},
            {"cores", machine.cores},
            {"features", machine.features},
            {"governor", machine.governor},
            {"compiler", machine.compiler},
            {"variables", machine.variables},
            {"interrupted", run.interrupted},
            {"calibrations", roofs}};
}

std::string entry_name(const Run& run, const Row& row) {
    return run.command + "/" + row.kernel + "/" + std::to_string(row.m) + "x" + std::to_string(row.n) + "x" +
           std::to_string(row.k) + (row.products > 1 ? "/products:" + std::to_string(row.products) : "") + "/" +
           row.type + "/threads:" + std::to_string(row.threads);
}

/// The fields of every entry of a row, and the counters for a product that took `seconds`.
Json entry(const Run& run, const Row& row, std::size_t family, const char* run_type) {
    const std::string name = entry_name(run, row);
    return {{"name", name},          {"family_index", family}, {"per_family_instance_index", 0},
            {"run_name", name},      {"run_type", run_type},   {"repetitions", row.seconds.size()},
            {"threads", row.threads}};
}

/// Google Benchmark's four units.
double seconds_in(const std::string& unit) {
    if (unit == "ns") return 1e-9;
    if (unit == "us") return 1e-6;
    return unit == "ms" ? 1e-3 : 1;
}

void add_time(Json& to, double seconds) {
    to["real_time"] = seconds * 1e9;  // compare.py prints whole numbers
    to["cpu_time"] = seconds * 1e9;
    to["time_unit"] = "ns";
}

void add_dial(Json& to, const EffortFigures& dial, double factor) {
    to["layout"] = dial.layout;
    to["data"] = dial.data;
    to["point"] = dial.point;
    to["effort"] = dial.effort;
    to["bytes_fraction"] = dial.bytes_fraction;
    to["predicted_error"] = std::isnan(dial.predicted_error) ? Json(nullptr) : Json(dial.predicted_error);
    to["gbps"] = dial.gbps * factor;
    to["speedup"] = dial.speedup * factor;
}

EffortFigures dial_from(const Json& made) {
    EffortFigures dial{.layout = made.at("layout"),
                       .data = made.at("data"),
                       .point = made.at("point"),
                       .effort = made.at("effort"),
                       .bytes_fraction = made.at("bytes_fraction")};
    if (const Json& predicted = made.at("predicted_error"); !predicted.is_null()) dial.predicted_error = predicted;
    return dial;
}

void add_fields(Json& to, const Row& row, double seconds) {
    const double factor = row.is_timed() && seconds > 0 ? median(row.seconds) / seconds : 0;
    to["provider"] = row.provider;
    to["device"] = row.device;
    to["kernel"] = row.kernel;
    to["rung"] = row.rung;
    to["m"] = row.m;
    to["n"] = row.n;
    to["k"] = row.k;
    to["products"] = row.products;
    to["type"] = row.type;
    to["accuracy"] = row.accuracy;
    to["gflops"] = row.gflops * factor;
    to["fraction_of_peak"] = row.fraction_of_peak * factor;
    to["fraction_of_unit_peak"] = row.fraction_of_unit_peak * factor;
    to["relative_error"] = row.relative_error;
    to["error_over_bound"] = row.error_over_bound;
    if (row.effort) add_dial(to, *row.effort, factor);
}

void add_untimed(Json& all, const Run& run, const Row& row, std::size_t family) {
    Json made = entry(run, row, family, "iteration");
    made["repetition_index"] = 0;
    made["iterations"] = 0;
    if (!row.ok) {
        made["error_occurred"] = true;
        made["error_message"] = row.trouble;
    }
    add_time(made, 0);
    add_fields(made, row, 0);
    all.push_back(std::move(made));
}

void add_aggregate(Json& all, const Run& run, const Row& row, std::size_t family, const char* aggregate, double value) {
    Json made = entry(run, row, family, "aggregate");
    made["name"] = made["run_name"].get<std::string>() + "_" + aggregate;
    made["aggregate_name"] = aggregate;
    const bool is_ratio = std::string(aggregate) == "cv";
    made["aggregate_unit"] = is_ratio ? "percentage" : "time";
    made["iterations"] = row.seconds.size();
    if (is_ratio) {
        made["real_time"] = made["cpu_time"] = value;
        made["time_unit"] = "ns";
    } else add_time(made, value);
    const bool is_middle = std::string(aggregate) != "stddev" && !is_ratio;
    add_fields(made, row, is_middle ? value : 0);
    all.push_back(std::move(made));
}

// Reading. A row's speeds are of its median sample, which is known when all have been read: until then they are what a
// product of 1 GFLOP/s, and one of 1 s, would have.
Row row_from(const Json& made) {
    Row row;
    row.provider = made.at("provider");
    row.device = made.at("device");
    row.kernel = made.at("kernel");
    row.rung = made.at("rung");
    row.type = made.at("type");
    row.accuracy = made.at("accuracy");
    row.m = made.at("m");
    row.n = made.at("n");
    row.k = made.at("k");
    row.products = made.value("products", std::int64_t{1});
    row.threads = made.at("threads");
    row.ok = !made.value("error_occurred", false);
    row.relative_error = made.at("relative_error");
    row.error_over_bound = made.at("error_over_bound");
    if (made.contains("bytes_fraction")) row.effort = dial_from(made);
    if (const double gflops = made.at("gflops"); gflops > 0) {
        row.fraction_of_peak = made.at("fraction_of_peak").get<double>() / gflops;
        row.fraction_of_unit_peak = made.at("fraction_of_unit_peak").get<double>() / gflops;
    }
    return row;
}

void add_sample(Row& row, const Json& made) {
    const double seconds = made.at("real_time").get<double>() * seconds_in(made.at("time_unit"));
    if (seconds <= 0) return;
    row.seconds.push_back(seconds);
    if (row.effort && row.seconds.size() == 1) {
        row.effort->gbps = made.at("gbps").get<double>() * seconds;
        row.effort->speedup = made.at("speedup").get<double>() * seconds;
    }
}

void set_speeds(Row& row) {
    const double flops = 2 * static_cast<double>(row.m) * static_cast<double>(row.n) * static_cast<double>(row.k);
    const double middle = median(row.seconds);
    const Interval interval = median_interval(row.seconds);
    row.gflops = flops / middle * 1e-9;
    row.gflops_low = flops / interval.high * 1e-9;
    row.gflops_high = flops / interval.low * 1e-9;
    row.spread = spread(row.seconds);
    row.fraction_of_peak *= row.gflops;
    row.fraction_of_unit_peak *= row.gflops;
    if (row.effort) {
        row.effort->gbps /= middle;
        row.effort->speedup /= middle;
    }
}

}  // namespace

std::string to_json(const Run& run) {
    Json entries = Json::array();
    for (std::size_t family = 0; family < run.rows.size(); ++family) {
        const Row& row = run.rows[family];
        if (!row.is_timed()) {
            add_untimed(entries, run, row, family);
            continue;
        }
        for (std::size_t i = 0; i < row.seconds.size(); ++i) {
            Json made = entry(run, row, family, "iteration");
            made["repetition_index"] = i;
            made["iterations"] = row.passes;
            add_time(made, row.seconds[i]);
            add_fields(made, row, row.seconds[i]);
            entries.push_back(std::move(made));
        }
        if (row.seconds.size() < 2) continue;
        const double middle = mean(row.seconds), noise = deviation(row.seconds);
        add_aggregate(entries, run, row, family, "mean", middle);
        add_aggregate(entries, run, row, family, "median", median(row.seconds));
        add_aggregate(entries, run, row, family, "stddev", noise);
        add_aggregate(entries, run, row, family, "cv", noise / middle);
    }
    return Json{{"context", context(run)}, {"benchmarks", std::move(entries)}}.dump(1) + "\n";
}

std::vector<Row> rows_from_json(const std::string& text) {
    const Json all = Json::parse(text, nullptr, false);
    if (all.is_discarded() || !all.is_object() || !all.contains("benchmarks") || !all["benchmarks"].is_array())
        throw std::runtime_error("not a result of tw: expected a JSON object with an array 'benchmarks'");
    std::vector<Row> rows;
    std::map<std::string, std::size_t> known;
    for (const Json& made : all["benchmarks"]) {
        try {
            if (made.at("run_type") != "iteration") continue;
            const auto [place, is_first] = known.emplace(made.at("run_name").get<std::string>(), rows.size());
            if (is_first) rows.push_back(row_from(made));
            add_sample(rows[place->second], made);
        } catch (const nlohmann::json::exception& error) {
            throw std::runtime_error(std::string("not a result of tw: an entry lacks what ours have (") + error.what() +
                                     ")");
        }
    }
    for (Row& row : rows)
        if (row.is_timed()) set_speeds(row);
    return rows;
}

}  // namespace tw::measure
