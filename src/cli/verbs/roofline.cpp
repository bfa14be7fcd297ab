// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw roofline: the roofs of each device, by formula and as measured, and every rung as a point below them; or the
// arithmetic alone, for a chip that is told by two numbers.
#include "measure/roofs/roofline.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/threads.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/roofs_of_a_chip.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/ladder.hpp"
#include "measure/roofs/device_roofs.hpp"
#include "measure/roofs/peaks.hpp"
#include "measure/rows/points.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    std::string device, shape, type = "f32", peak, bandwidth;
    double seconds = 5;
    int threads = 0;
};

void print_roofs_of_processor(const std::vector<measure::UnitPeak>& units,
                              const std::vector<measure::Bandwidth>& bandwidths) {
    fmt::print("Roofs of one core            measured     by formula\n");
    for (const measure::UnitPeak& unit : units)
        fmt::print("  {:<22} {:>10.1f} {:>14.1f} GFLOP/s\n", fmt::format("{} {}", unit.loop.unit, unit.loop.type),
                   unit.gflops, unit.theoretical());
    for (const measure::Bandwidth& read : bandwidths)
        fmt::print("  {:<22} {:>10.1f} {:>14} GB/s\n",
                   fmt::format("{}{}", read.level, read.threads > 1 ? fmt::format(", {} cores", read.threads) : ""),
                   read.gigabytes_per_second, "");
}

void print_points(const std::vector<measure::RooflinePoint>& points) {
    std::size_t width = 0;
    for (const measure::RooflinePoint& point : points) width = std::max(width, point.kernel.size());
    fmt::print("\n{:<{}} {:>9} {:>11} {:>11} {:>9}  {}\n", "kernel", width, "flop/byte", "predicted", "attained",
               "of it", "what bounds it");
    for (const measure::RooflinePoint& point : points)
        fmt::print("{:<{}} {:>9.2f} {:>11.1f} {:>11.2f} {:>7.1f} %  {}\n", point.kernel, width, point.intensity,
                   point.predicted, point.attained, 100 * point.attained / point.predicted, point.bound);
    fmt::print("\n");
}

void run(const Arguments& asked) {
    if (!asked.peak.empty()) return run_roofs_of_a_chip(asked.peak, asked.bandwidth, asked.type);
    measure::Task task;
    task.type = parse_type("--type", asked.type);
    if (is_complex(task.type)) refuse("--type: expected f32 or f64; got '{}'", asked.type);
    task.threads = asked.threads > 0 ? asked.threads : default_threads();
    if (!asked.shape.empty()) parse_shape("--shape", asked.shape, task), check_memory(task);
    note_interrupts();
    const std::vector<const Backend*> devices =
        asked.device.empty() ? devices_here() : std::vector{&parse_timed_device(asked.device)};
    for (const Backend* backend : devices) {
        if (is_interrupted()) continue;
        std::vector<measure::Bandwidth> bandwidths;
        if (backend->place == Place::host) {
            bandwidths = measure::measure_bandwidths(0.08, task.threads);
            print_roofs_of_processor(measure::measure_units(0.1, task.threads), bandwidths);
        } else {
            fmt::print("{:<24} {:>10} {:>14}\n", fmt::format("Roofs of {}", backend->name), "measured", "by formula");
            for (const Roof& roof : backend->roofs)
                fmt::print("  {:<22} {:>10} {:>14} {}\n", fmt::format("{} {}", roof.unit, roof.type),
                           measure::in_a_table(measure::loop_of(roof, 0.1)),
                           measure::in_a_table(measure::formula_of(roof)),
                           std::string(roof.type) == "bytes" ? "GB/s" : "GFLOP/s");
        }
        measure::Run result{
            .command = "roofline", .machine = measure::this_machine(), .clock_hz = measure::core_clock()};
        measure::Climb climb{.backend = backend, .task = task, .budget = {.seconds = asked.seconds}};
        if (asked.shape.empty())
            climb.task.m = climb.task.n = climb.task.k = backend->place == Place::host ? 512 : 4096;
        ProgressLine line;
        measure::climb(climb, watch_with(line), result);
        line.clear();
        print_points(measure::points_of(result.rows, bandwidths));
        std::fflush(stdout);
    }
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is above");
}

}  // namespace

void add_roofline(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("roofline", "Shows the roofs of each device, and every rung below them");
    verb.add_option("--device", asked->device, "cpu, cuda, ...; default: all that are found");
    verb.add_option("--shape", asked->shape, "MxNxK; default: 512 on a CPU, 4096 on a GPU");
    verb.add_option("--type", asked->type, "f32 or f64").shows_default();
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_option("--seconds", asked->seconds, "How long to time each device").shows_default().within(0.01, 86400.0);
    const Option peak =
        verb.add_option("--peak", asked->peak, "GFLOP/s of a chip, also as 256x1.296x16; nothing is measured then");
    const Option bandwidth = verb.add_option("--bandwidth", asked->bandwidth, "GB/s that it reads");
    peak.needs(bandwidth), bandwidth.needs(peak);
    verb.ends_help_with(
        "Examples:\n  tw roofline\n  tw roofline --shape 64 --type f64\n  tw roofline --peak 19500 --bandwidth 1600");
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
