// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/row.hpp"

#include <fmt/format.h>

#include "measure/basis/statistics.hpp"

namespace tw::measure {
namespace {

std::string quoted(const std::string& text) {
    std::string safe = "\"";
    for (const char c : text) safe += c == '"' ? "\"\"" : std::string(1, c);
    return safe + "\"";
}

}  // namespace

Row make_row(const Timing& timing, const Task& task, const RowPeaks& peaks) {
    const Entrant& entrant = *timing.entrant;
    Row row{.provider = entrant.provider,
            .device = entrant.device,
            .kernel = entrant.kernel,
            .rung = entrant.rung,
            .type = name_of(task.type),
            .accuracy = entrant.accuracy,
            .trouble = timing.judgement.trouble,
            .m = task.m,
            .n = task.n,
            .k = task.k,
            .products = entrant.products,
            .threads = entrant.threads > 0 ? entrant.threads : task.threads,
            .passes = timing.passes,
            .seconds = timing.seconds};
    for (double& seconds : row.seconds) seconds /= static_cast<double>(entrant.products);
    row.relative_error = timing.judgement.relative_error;
    row.error_over_bound = timing.judgement.error_over_bound;
    row.ok = !timing.failed;
    row.times_mean_nothing = entrant.times_mean_nothing;
    if (!row.is_timed()) return row;
    const double middle = median(row.seconds);
    const Interval interval = median_interval(row.seconds);
    row.gflops = task.flops() / middle * 1e-9;
    row.gflops_low = task.flops() / interval.high * 1e-9;
    row.gflops_high = task.flops() / interval.low * 1e-9;
    row.spread = spread(row.seconds);
    const double share =
        static_cast<double>(row.threads) / task.threads;  // of the peaks, which are those of all its threads
    if (const double peak = peaks.fma > 0 ? peaks.fma : peaks.unit; peak > 0)
        row.fraction_of_peak = row.gflops / (share * peak);
    if (peaks.unit > 0) row.fraction_of_unit_peak = row.gflops / (share * peaks.unit);
    return row;
}

std::string to_csv(const Run& run) {
    std::string text =
        "provider,device,kernel,rung,m,n,k,type,accuracy,threads,samples,seconds,gflops,gflops_low,gflops_high,spread,"
        "fraction_of_peak,fraction_of_unit_peak,relative_error,error_over_bound,ok,trouble\n";
    for (const Row& row : run.rows)
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{:.9g},{:.6g},{:.6g},{:.6g},{:.4g},{:.5g},{:.5g},{:.4g},{:.4g},{},{}\n",
            quoted(row.provider), row.device, quoted(row.kernel), row.rung, row.m, row.n, row.k, row.type, row.accuracy,
            row.threads, row.seconds.size(), row.is_timed() ? median(row.seconds) : 0.0, row.gflops, row.gflops_low,
            row.gflops_high, row.spread, row.fraction_of_peak, row.fraction_of_unit_peak, row.relative_error,
            row.error_over_bound, row.ok ? 1 : 0, quoted(row.trouble));
    return text;
}

std::string share_of_peak(double fraction) { return fraction > 0 ? fmt::format("{:.1f} %", 100 * fraction) : ""; }

std::string to_markdown(const Run& run) {
    std::string text =
        fmt::format("{}, {} core{}, tilewright {}, {}.\n\n", run.machine.processor, run.machine.cores,
                    run.machine.cores == 1 ? "" : "s", run.machine.version, run.machine.date.substr(0, 10));
    text +=
        "| kernel | M x N x K | type | threads | GFLOP/s | 95 % interval | of FMA peak | error / bound |\n"
        "|---|---|---|--:|--:|--:|--:|--:|\n";
    for (const Row& row : run.rows) {
        text += fmt::format("| {} | {} x {} x {} | {} | {} | ", row.kernel, row.m, row.n, row.k, row.type, row.threads);
        if (row.is_timed())
            text += fmt::format("{:.1f} | {:.1f} to {:.1f} | {} | {:.2g} |\n", row.gflops, row.gflops_low,
                                row.gflops_high, share_of_peak(row.fraction_of_peak), row.error_over_bound);
        else text += fmt::format("{} | | | |\n", row.trouble.empty() ? "not timed" : row.trouble);
    }
    return text;
}

}  // namespace tw::measure
