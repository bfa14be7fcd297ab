// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/calibrate.hpp"

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "base/threads.hpp"
#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/peaks.hpp"
#include "measure/roofs/row_paces.hpp"

namespace tw::measure {
namespace {

constexpr double seconds_each = 0.02;

/// From a product's call for threads until each has begun a task and all are through. A task waits for the others, or
/// the first thread would do them all; not for ever, as the pool may have fewer threads. What is told is among the
/// quickest calls: where others use the machine, most wait for a processor, which says nothing of the machine.
double start_of(int threads) {
    constexpr int calls = 200;
    constexpr double most_seconds = 0.001;
    std::vector<double> times;
    for (int i = 0; i < calls && threads > 1; ++i) {
        struct Begun {
            std::atomic<int> count{0};
            int all;
            double begin;
        } begun{.all = threads, .begin = now()};
        run_tasks(
            nullptr, threads, threads,
            [](void* context, int) {
                auto& shared = *static_cast<Begun*>(context);
                ++shared.count;
                while (shared.count.load() < shared.all && now() - shared.begin < most_seconds) {
                }
            },
            &begun);
        times.push_back(now() - begun.begin);
    }
    const double quick = times.empty() ? 0 : quantile(times, 0.05);
    return quick < most_seconds ? quick * 1e9 : 0;
}

/// Of some rows of C, on one thread.
std::string text_of_way(const char* way, const RowPace& pace) {
    return fmt::format("  {:<12} {:.4f} ns a product, {:.3f} a byte of B; along k {:.4f}, {:.3f}; {:.3f} a byte of C\n",
                       way, pace.product, pace.byte, pace.product_along_k, pace.byte_along_k, pace.result_byte);
}

}  // namespace

Pace calibrate(int threads) {
    Pace found;
    for (const Bandwidth& one : measure_bandwidths(seconds_each, threads)) {
        if (one.level != "memory") continue;
        (one.threads == 1 ? found.read : found.read_together) = one.gigabytes_per_second;
    }
    if (threads == 1) found.read_together = found.read;
    found.gflops = measure_gflops(fma_loop("f32"), seconds_each);
    found.start = start_of(threads);
    measure_rows(found);
    return found;
}

std::string text_of(const Pace& pace, int threads) {
    const std::string together =
        threads > 1 ? fmt::format(", {:.1f} by {} threads", pace.read_together, threads) : std::string();
    const std::string starting = threads == 1 ? std::string("there is one")
                                 : pace.start > 0
                                     ? fmt::format("{:.1f} us until all have begun and ended", pace.start * 1e-3)
                                     : std::string("none came in time, as the machine is busy");
    const std::string rows = !pace.knows_rows()
                                 ? std::string()
                                 : "  some rows of f32, one thread\n" + text_of_way("r6", pace.strips) +
                                       text_of_way("r7", pace.panels) + text_of_way("few_rows", pace.passing);
    return fmt::format(
        "  memory       {:.1f} GB/s by one thread{}\n  arithmetic   {:.1f} GFLOP/s of f32 on one core\n"
        "  threads      {}; worth one more for every {:.0f} thousand products\n{}",
        pace.read, together, pace.gflops, starting, pace.products_worth_a_thread() * 1e-3, rows);
}

}  // namespace tw::measure
