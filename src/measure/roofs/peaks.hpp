// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofs of this processor: the peak rates of its units, by formula and measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/roofs/loops.hpp"

namespace tw::measure {

/// The formula of the seeds: flops per clock and core, times the clock, times the cores.
constexpr double theoretical_gflops(double flops_per_clock_per_core, double clock_ghz, double cores) {
    return flops_per_clock_per_core * clock_ghz * cores;
}

/// The loops that this processor can run, without features that TW_FEATURES turns off; the plainest first.
std::vector<ComputeLoop> compute_loops();

/// The widest unit except matrix units, for operands of the type: "f32" or "f64".
ComputeLoop fma_loop(const std::string& type);

/// The unit that a kernel with these needs uses, for operands of the type; the baseline when it needs nothing.
ComputeLoop loop_for(std::uint64_t needs, const std::string& type);

/// The rate of one core in GFLOP/s (for int8 in billions of operations), measured for about `seconds`.
double measure_gflops(const ComputeLoop& loop, double seconds);

/// The rate of all `threads` threads at once.
double measure_gflops(const ComputeLoop& loop, double seconds, int threads);

struct UnitPeak {
    ComputeLoop loop{};
    double clock_hz = 0;            ///< just before and after the loop
    double gflops = 0;              ///< measured, one core
    double all_threads_gflops = 0;  ///< measured, `threads` at once
    int threads = 1;
    int pipes = 1;  ///< instructions a clock, from the measurement; a whole number for a vector unit

    double flops_per_clock() const { return gflops * 1e9 / clock_hz; }

    /// By formula, for one core: lanes x pipes x clock.
    double theoretical() const;
};

/// Every unit, about `seconds` each.
std::vector<UnitPeak> measure_units(double seconds, int threads);

}  // namespace tw::measure
