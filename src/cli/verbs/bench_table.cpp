// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/verbs/bench_table.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "measure/against.hpp"
#include "measure/rows/compare.hpp"

namespace tw::cli {

using measure::Row;
using measure::Run;

void print_bench_head(const Run& run, const std::vector<std::shared_ptr<measure::PeerProcess>>& peers) {
    const measure::Machine& machine = run.machine;
    fmt::print("{}, {} core{}, {:.2f} GHz, load {:.2f}{}; tilewright {}\n", machine.processor, machine.cores,
               machine.cores == 1 ? "" : "s", run.clock_hz * 1e-9, machine.load[0],
               machine.governor.empty() ? "" : ", governor " + machine.governor, machine.version);
    for (const auto& peer : peers) {
        const auto& told = peer->description();
        fmt::print("{}{}{} runs its {} kernels ({})\n", told.name, *told.version ? " " : "", told.version,
                   *told.core_type ? told.core_type : "own", told.file);
    }
    if (!machine.has_speed) fmt::print("This is a build without optimisation: its speeds mean little.\n");
    fmt::print("\n{:<37} {:>18} {:>9} {:>19} {:>8} {:>9} {:>9}\n", "kernel", "M x N x K", "GFLOP/s", "95 % interval",
               "spread", "of peak", "of bound");
}

void print_bench_rows(const Run& run, std::size_t first) {
    for (std::size_t i = first; i < run.rows.size(); ++i) {
        const Row& row = run.rows[i];
        const std::string_view mark = measure::mark_of(row.kernel),
                               name = std::string_view(row.kernel).substr(0, row.kernel.size() - mark.size());
        const std::string shape = fmt::format("{}x{}x{}", row.m, row.n, row.k);
        if (row.is_timed())
            fmt::print("{:<37} {:>18} {:>9.2f} {:>8.2f} to {:>7.2f} {:>6.1f} % {:>9} {:>9.3f}{}{}\n", name, shape,
                       row.gflops, row.gflops_low, row.gflops_high, 100 * row.spread,
                       measure::share_of_peak(row.fraction_of_peak), row.error_over_bound,
                       mark.empty() ? "" : " " + std::string(mark), row.seconds.size() < 6 ? "  few samples" : "");
        else fmt::print("{:<37} {:>18} {}\n", row.kernel, shape, row.ok ? "not timed" : "WRONG: " + row.trouble);
    }
    for (const measure::Ways& ways : measure::against_ourselves(run.rows, first))
        fmt::print("  {}: {}\n", ways.text, measure::sentence_of(ways.comparison));
    const Row *ours = nullptr, *theirs = nullptr;
    const auto made = measure::against_best_peer(run.rows, first, &ours, &theirs);
    if (ours && theirs) fmt::print("  against {}: {}\n", theirs->kernel, measure::sentence_of(made));
    std::fflush(stdout);
}

int print_against_baseline(const Run& run, const std::vector<Row>& before) {
    int slower = 0;
    const auto pairs = measure::against_baseline(run.rows, before);
    fmt::print("\nAgainst the baseline\n");
    if (pairs.empty()) fmt::print("  it has none of these problems\n");
    for (const measure::Against& pair : pairs) {
        fmt::print("  {:<37} {:>5}x{}x{}: {}\n", pair.now->kernel, pair.now->m, pair.now->n, pair.now->k,
                   measure::sentence_of(pair.comparison));
        slower += pair.comparison.verdict == measure::Verdict::slower && pair.now->provider == "tilewright";
    }
    return slower;
}

}  // namespace tw::cli
