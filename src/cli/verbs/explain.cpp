// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw explain RUNG: its idea, its count of flops and bytes, what that predicts here, and who fits on a core of a GPU.
#include <algorithm>
#include <cstdio>
#include <memory>

#include "base/threads.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/ladder.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/peaks.hpp"
#include "measure/roofs/roofline.hpp"
#include "measure/turns/entrant.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    std::string rung, shape = "1024";
};

void print_count(const Kernel& kernel, const std::string& name, const measure::Task& task, const measure::Level& level,
                 double peak) {
    const Tile whole = measure::kernel_and_tile(name).tile, tile = measure::read_once_for(kernel, whole);
    measure::Task own = task;
    own.type = kernel.in;
    const double intensity = measure::intensity_of(kernel, whole, own);
    fmt::print("\n{}\n  {}\n", name, kernel.idea);
    if (tile.m > 0) fmt::print("  What it reads serves {} x {} of C at once", tile.m, tile.n);
    else fmt::print("  It blocks nothing: what it reads serves the whole {} x {} of C", task.m, task.n);
    fmt::print(": 2 x {0} x {1} flops for ({0} + {1}) x {2} bytes at each step of k = {3:.4g} flop/byte.\n",
               tile.m > 0 ? tile.m : task.m, tile.n > 0 ? tile.n : task.n, size_of(kernel.in), intensity);
    fmt::print("  Its certificate at k = {}: |C - AB| <= {:.3g} |A||B|, elementwise.\n", task.k,
               certificate(kernel, task.k));
    if (peak > 0 && level.gigabytes_per_second > 0) {
        const double predicted = measure::attainable(peak, level.gigabytes_per_second, intensity);
        fmt::print(
            "  One core here: min({:.1f} GFLOP/s, {:.1f} GB/s from {} x {:.4g} flop/byte) = {:.1f} GFLOP/s: {} bounds "
            "it.\n",
            peak, level.gigabytes_per_second, level.name, intensity, predicted,
            predicted < peak ? "reading" : "arithmetic");
    }
}

void print_occupancy(const measure::CoreLimits& core, const char* name, const measure::GroupNeeds& group) {
    const measure::Occupancy fit = measure::occupancy(core, group);
    const auto told = [](int limit, int groups) { return limit > 0 ? fmt::format("{}", groups) : std::string("-"); };
    fmt::print("  {:<26} {:<8} {:>10} {:>10} {:>10} {:>10} {:>10}  {}\n", core.name, name,
               told(core.threads, fit.by_threads), told(core.registers, fit.by_registers),
               told(core.shared_bytes, fit.by_shared), fit.groups, fit.threads, fit.limit);
}

/// Seed 002 says that a tile of 16 beats a tile of 32 because of shared memory; this shows why that is not the reason.
void print_tiles_of_seed_002() {
    constexpr measure::GroupNeeds small{256, 40, 2048}, large{1024, 40, 8192};
    fmt::print(
        "\nOccupancy of a GPU's core: tile_16 has 256 threads and 2048 bytes, tile_32 has 1024 threads and 8192 "
        "bytes\n");
    fmt::print("  {:<35} {:>10} {:>10} {:>10} {:>10} {:>10}\n", "groups allowed by", "threads", "registers", "memory",
               "resident", "threads");
    for (const measure::CoreLimits& core : {measure::CoreLimits{"32 KiB of memory alone", 0, 1 << 20, 0, 32768},
                                            measure::CoreLimits{"2048 threads, 65536 regs", 2048, 32, 65536, 233472},
                                            measure::CoreLimits{"1536 threads", 1536, 16, 0, 0}}) {
        print_occupancy(core, "tile_16", small);
        print_occupancy(core, "tile_32", large);
    }
    fmt::print(
        "  Memory leaves both with 4096 threads: 16 groups of 256, or 4 of 1024. It can't be the reason.\n"
        "  What differs is the granularity. A core holds whole groups only: with 40 registers a thread (an assumption) "
        "six\n"
        "  small groups fit and one large one, and where 1536 threads fit a group of 1024 leaves a third of them out.\n"
        "  And a barrier stops a whole group: with only one group resident nothing hides the wait.\n");
}

double peak_of(const Kernel& kernel) {
    const measure::ComputeLoop loop = measure::loop_for(kernel.needs, name_of(kernel.in));
    double most = 0;  // of several: neighbours only take away
    for (int i = 0; loop.run && i < 5; ++i) most = std::max(most, measure::measure_gflops(loop, 0.01));
    return most;
}

void run(const Arguments& asked) {
    measure::Task task;
    parse_shape("--shape", asked.shape, task);
    std::vector<measure::Bandwidth> bandwidths;
    bool is_tiled = false, is_found = false;
    for (const BackendSource& source : backends()) {
        const Backend& backend = source();
        for (const Kernel* kernel : backend.ladder) {
            if (!answers_to(*kernel, asked.rung)) continue;
            if (!is_found)
                fmt::print("{}{}{}\n", stem_of(*kernel), *seed_names_of(*kernel) ? ", in the seeds: " : "",
                           seed_names_of(*kernel));
            is_found = true;
            is_tiled = is_tiled || kernel->rung == Rung::tiled;
            const bool is_here = backend.place == Place::host && !backend.times_mean_nothing &&
                                 (kernel->needs & ~backend.features()) == 0;
            if (is_here && bandwidths.empty()) bandwidths = measure::measure_bandwidths(0.05, 1);
            measure::Task own = task;
            own.type = kernel->in;
            for (const std::string& name : measure::rows_of(*kernel, {asked.rung}))
                print_count(*kernel, name, task, is_here ? measure::level_of(own, bandwidths) : measure::Level{"", 0},
                            is_here ? peak_of(*kernel) : 0);
        }
    }
    if (!is_found) refuse("no rung or kernel of this build is called '{}'; see tw ladder --list", asked.rung);
    if (is_tiled) print_tiles_of_seed_002();
}

}  // namespace

void add_explain(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb =
        tw.add_verb("explain", "Explains a rung: its idea, flops and bytes, and the speed that they predict here");
    verb.add_option("RUNG", asked->rung,
                    "A rung or kernel by name, also by the seeds' names: naive, tile_16, r7_hierarchical ...")
        .required();
    verb.add_option("--shape", asked->shape, "MxNxK, or N for NxNxN").shows_default();
    verb.ends_help_with(
        "Examples:\n  tw explain naive\n  tw explain tile_16\n  tw explain r7_hierarchical --shape 4096");
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
