// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/dial.hpp"
#include "measure/ladder.hpp"
#include "measure/report/report.hpp"
#include "measure/rows/points.hpp"
#include "plan/registry.hpp"

namespace tw::measure {

/// Measured here, in little time: a page shows nothing else.
inline ReportData small_report() {
    measure::Run run{.command = "ladder", .machine = this_machine(), .clock_hz = 1e9};
    climb(
        {.backend = find_backend("cpu"), .task = {.m = 32, .n = 32, .k = 32, .threads = 1}, .budget = {.seconds = 0.1}},
        {}, run);
    ReportData data{.machine = run.machine, .clock_hz = 1e9, .climb = run.rows};
    measure::Run dial{.command = "dial", .machine = run.machine};
    turn_dial(
        {.backend = find_backend("cpu"), .task = {.m = 32, .n = 32, .k = 32, .threads = 1}, .budget = {.seconds = 0.1}},
        {}, dial);
    data.dial = dial.rows;
    data.shapes = run.rows;
    data.shapes.back().provider = "another";
    data.bandwidths = measure_bandwidths(0.002, 1);
    data.units = measure_units(0.002, 1);
    data.points = points_of(data.climb, data.bandwidths);
    return data;
}

}  // namespace tw::measure
