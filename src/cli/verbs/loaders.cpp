// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/verbs/loaders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "measure/loaders/loaders.hpp"

namespace tw::cli {
namespace {

using measure::LoadersRow;
using measure::LoadersRun;

constexpr int bar_width = 32;

/// Counts of one threadgroup; all do the same.
void print_counts(const LoadersRow& row, int threadgroups) {
    const auto& c = row.counts;
    const auto each = [threadgroups](std::uint64_t all) { return all / static_cast<std::uint64_t>(threadgroups); };
    fmt::print("{:<14} {:>8} {:>13} {:>13} {:>13} {:>9} {:>7} {:>13}\n", row.form, row.loaders, each(c.device_loaded),
               each(c.threadgroup_stored), each(c.threadgroup_loaded), each(c.barriers), each(c.async_copies),
               each(c.device_loaded) / static_cast<std::uint64_t>(row.loaders));
}

void print_all_counts(const LoadersRun& run) {
    fmt::print("Emulated, so only counts are shown: for one threadgroup of {}\n\n", run.groups);
    fmt::print("{:<14} {:>8} {:>13} {:>13} {:>13} {:>9} {:>7} {:>13}\n", "", "", "device bytes", "threadgroup",
               "threadgroup", "", "async", "device bytes");
    fmt::print("{:<14} {:>8} {:>13} {:>13} {:>13} {:>9} {:>7} {:>13}\n", "kernel", "loaders", "loaded", "bytes stored",
               "bytes loaded", "barriers", "copies", "a loader");
    for (const LoadersRow& row : run.rows) {
        if (row.trouble.empty()) print_counts(row, run.groups);
        else fmt::print("{:<14} {:>8} {}\n", row.form, row.loaders, row.trouble);
    }
}

constexpr double bytes_a_fill = 32768;

void print_curve(const LoadersRun& run, const char* groups) {
    double longest = 0;
    for (const LoadersRow& row : run.rows) longest = std::max(longest, row.median());
    fmt::print("{} {} fill their 32 KB{}; the median of {} by the GPU's clock:\n", run.groups, groups,
               run.fills > 1 ? fmt::format(" {} times", run.fills) : "", run.rows.front().seconds.size());
    const LoadersRow* before = nullptr;
    for (const LoadersRow& row : run.rows) {
        if (!before || before->from_cache != row.from_cache) {
            fmt::print("\n{}{:<14} {:>8} {:>12} {:>12} {:>12} {:>9}\n", row.from_cache ? "from L2:\n" : "", "kernel",
                       "loaders", "ms", "fastest", "slowest", "GB/s");
        }
        before = &row;
        if (!row.trouble.empty() || row.seconds.empty()) {
            fmt::print("{:<14} {:>8} {}\n", row.form, row.loaders, row.trouble.empty() ? "not timed" : row.trouble);
            continue;
        }
        fmt::print("{:<14} {:>8} {:>12.4f} {:>12.4f} {:>12.4f} {:>9.0f}  {}\n", row.form, row.loaders,
                   1e3 * row.median(), 1e3 * row.seconds.front(), 1e3 * row.seconds.back(),
                   1e-9 * bytes_a_fill * run.groups * run.fills / row.median(), bar(row.median() / longest, bar_width));
    }
}

}  // namespace

void run_loaders(const std::string& device) {
    const Backend& backend = parse_device(device);
    if (!measure::has_loaders(backend))
        refuse(
            "bench loaders: --device: expected metal-check, metal or cuda, which have threadgroup memory to load; got "
            "'{}'",
            device);
    note_interrupts();
    const bool is_cuda = backend.place == Place::cuda;
    fmt::print("1 to 8 of the 8 {} load its 32 KB\n", is_cuda ? "warps of a block" : "SIMD-groups of a threadgroup");
    LoadersRun run;
    {
        ProgressLine line;
        run = measure::bench_loaders(backend, watch_with(line));
    }
    if (backend.times_mean_nothing) print_all_counts(run);
    else print_curve(run, is_cuda ? "blocks" : "threadgroups");
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
    for (const LoadersRow& row : run.rows)
        if (row.is_wrong)
            throw Stop(Exit::wrong_result, fmt::format("{} with {} loaders brought wrong data", row.form, row.loaders));
}

}  // namespace tw::cli
