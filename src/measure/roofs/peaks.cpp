// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/cpu_features.hpp"
#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"

namespace tw::measure {
namespace {

double flops_per_pass(const ComputeLoop& loop) {
    return static_cast<double>(loop.instructions) * loop.flops_per_instruction;
}

std::vector<ComputeLoops> tables() {
#if defined(__x86_64__)
    return {baseline_compute_loops(), avx2_compute_loops(), avx512_compute_loops(), amx_compute_loops()};
#else
    return {baseline_compute_loops()};
#endif
}

/// The number of passes that takes about a millisecond: long enough to time, shorter than a time slice.
std::int64_t calibrate(const ComputeLoop& loop) {
    [[maybe_unused]] volatile double kept = 0;
    std::int64_t passes = 1000;
    for (;; passes *= 2) {
        const double start = now();
        kept = loop.run(passes);
        if (now() - start > 0.0005) return passes;
    }
}

}  // namespace

std::vector<ComputeLoop> compute_loops() {
    std::vector<ComputeLoop> usable;
    for (const ComputeLoops table : tables())
        for (int i = 0; i < table.count; ++i)
            if ((table.first[i].needs & ~cpu_features()) == 0) usable.push_back(table.first[i]);
    return usable;
}

ComputeLoop fma_loop(const std::string& type) {
    ComputeLoop widest{};
    for (const ComputeLoop& loop : compute_loops())
        if (!loop.is_matrix_unit && loop.type == type) widest = loop;
    return widest;
}

ComputeLoop loop_for(std::uint64_t needs, const std::string& type) {
    ComputeLoop best{};
    for (const ComputeLoop& loop : compute_loops()) {
        const bool is_used = loop.needs == 0 || (loop.needs & needs) != 0;
        if (is_used && (loop.is_matrix_unit || loop.type == type)) best = loop;
    }
    return best;
}

double measure_gflops(const ComputeLoop& loop, double seconds) {
    [[maybe_unused]] volatile double kept = 0;
    const std::int64_t passes = calibrate(loop);
    std::vector<double> rates;
    const double end = now() + seconds;
    do {
        const double start = now();
        kept = loop.run(passes);
        rates.push_back(static_cast<double>(passes) * flops_per_pass(loop) / (now() - start) * 1e-9);
    } while (now() < end);
    return quantile(rates, 0.9);
}

double measure_gflops(const ComputeLoop& loop, double seconds, int threads) {
    std::vector<double> rates(static_cast<std::size_t>(threads));
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < rates.size(); ++i)
        others.emplace_back([&, i] { rates[i] = measure_gflops(loop, seconds); });
    rates[0] = measure_gflops(loop, seconds);
    for (std::thread& other : others) other.join();
    double sum = 0;
    for (const double rate : rates) sum += rate;
    return sum;
}

double UnitPeak::theoretical() const {
    if (loop.is_matrix_unit)
        return theoretical_gflops(1024.0 * (loop.flops_per_instruction / 16384), clock_hz * 1e-9, 1);
    return theoretical_gflops(static_cast<double>(loop.flops_per_instruction) * pipes, clock_hz * 1e-9, 1);
}

std::vector<UnitPeak> measure_units(double seconds, int threads) {
    std::vector<UnitPeak> peaks;
    for (const ComputeLoop& loop : compute_loops()) {
        UnitPeak peak{.loop = loop, .threads = threads};
        const double before = core_clock();
        peak.gflops = measure_gflops(loop, seconds / 2);
        peak.clock_hz = (before + core_clock()) / 2;
        peak.all_threads_gflops = threads > 1 ? measure_gflops(loop, seconds / 2, threads) : peak.gflops;
        const double a_clock = peak.flops_per_clock() / loop.flops_per_instruction;
        peak.pipes = std::max(1, static_cast<int>(std::lround(a_clock)));
        peaks.push_back(peak);
    }
    return peaks;
}

}  // namespace tw::measure
