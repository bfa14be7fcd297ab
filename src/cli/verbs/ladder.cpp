// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw ladder: runs every rung here. Each is checked by the judge, then timed in turns with the others and with the
// peers.
#include "measure/ladder.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <span>

#include "base/threads.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/ending/judged.hpp"
#include "cli/verbs/metal_counts.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/peers/start.hpp"
#include "measure/roofs/device_roofs.hpp"
#include "measure/rows/gains.hpp"
#include "measure/rows/history.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

using measure::Row;
using measure::Run;

struct Arguments {
    std::string device, shape, size, type = "f32", json;
    std::vector<std::string> rungs;
    double seconds = 8;
    int threads = 0;
    bool no_peers = false, list = false, markdown = false;
};

constexpr int bar_width = 24, least_bar = 8;
constexpr int figures_width = 52;  // of a row without its name and its bar

void print_row(const Row& row, double gain, std::size_t width, double quickest, int room_for_bar) {
    if (!row.is_timed()) {
        fmt::print("{:<{}} {}\n", row.kernel, width,
                   row.ok ? "right; not timed, since it is emulated here" : "WRONG: " + row.trouble);
        return;
    }
    const std::string gained = gain > 0 ? fmt::format("{:.2f}x", gain) : "";
    fmt::print("{:<{}} {:>9.2f} {:>6.1f} % {:>10} {:>8} {:>10.3f}", row.kernel, width, row.gflops, 100 * row.spread,
               measure::share_of_peak(row.fraction_of_peak), gained, row.error_over_bound);
    if (row.seconds.size() < 3) fmt::print("  {}", row.seconds.size() == 1 ? "one run" : "two runs");
    else if (room_for_bar >= least_bar)
        fmt::print("  {}", bar(row.gflops / quickest, std::min(bar_width, room_for_bar)));
    fmt::print("\n");
}

/// The rows of one device, which are the run's last.
struct Rows {
    std::span<const Row> all;
    std::size_t width = 0;  // of the longest name
    double quickest = 0;
    int threads = 1;
    std::string alone;  // the last rung that works on one thread where others have several

    explicit Rows(std::span<const Row> rows) : all(rows) {
        for (const Row& row : all) {
            quickest = std::max(quickest, row.gflops);
            width = std::max(width, row.kernel.size());
            threads = std::max(threads, row.threads);
        }
        for (const Row& row : all)
            if (row.threads < threads) alone = row.rung.substr(0, row.rung.find('_'));
    }
};

/// What is multiplied, and what 100 % is: the device's first roof, if it has one.
void print_heading(const Rows& rows, const Run::Roofline* roof) {
    const Row& any = rows.all.front();
    fmt::print("{}: {} x {} x {} {}, {} thread{}", any.device, any.m, any.n, any.k, any.type, rows.threads,
               rows.threads == 1 ? "" : "s");
    if (!rows.alone.empty()) fmt::print(" (up to {}: 1, and held against one)", rows.alone);
    if (roof)
        fmt::print("; 100 % is {} at {:.1f} GFLOP/s{}", roof->name, roof->median,
                   roof->name.ends_with(measure::by_formula) ? ""
                   : any.device == "cpu" && rows.threads > 1 ? " for each thread, measured between the rows"
                                                             : ", measured between the rows");
    fmt::print("\n{:<{}} {:>9} {:>8} {:>10} {:>8} {:>10}\n", "kernel", rows.width, "GFLOP/s", "spread", "of peak",
               "gain", "of bound");
}

/// The quickest of ours or of the peers' rows. A rung below the type's own accuracy is no rival of a peer's product.
const Row* best_of(const Rows& rows, bool ours) {
    const Row* best = nullptr;
    for (const Row& row : rows.all) {
        if ((row.provider == "tilewright") != ours || !row.is_timed()) continue;
        const bool is_rival = !ours || row.accuracy.starts_with("fp64") || row.accuracy.starts_with("fp32");
        if (is_rival && (!best || row.gflops > best->gflops)) best = &row;
    }
    return best;
}

void print_table(const Rows& rows, const Run::Roofline* roof) {
    print_heading(rows, roof);
    const int room_for_bar =
        is_terminal(stdout) ? columns_of(stdout) - static_cast<int>(rows.width) - figures_width : 0;
    const std::vector<double> gains = measure::gains_of(rows.all);
    for (std::size_t i = 0; i < rows.all.size(); ++i)
        print_row(rows.all[i], gains[i], rows.width, rows.quickest, room_for_bar);
    const Row &first = rows.all.front(), *ours = best_of(rows, true), *theirs = best_of(rows, false);
    if (ours && first.rung.starts_with("r1_") && first.is_timed() && ours != &first)
        fmt::print("{} is {:.4g} times {}.\n", ours->kernel, ours->gflops / first.gflops, first.kernel);
    if (ours && theirs)
        fmt::print("{} reaches {:.2f} of {}.\n", ours->kernel, ours->gflops / theirs->gflops, theirs->kernel);
    fmt::print("\n");
}

void print_list() {
    for (const BackendSource& source : backends()) {
        std::size_t width = 0;
        for (const Kernel* kernel : source().ladder) width = std::max(width, std::string_view(kernel->name).size());
        for (const Kernel* kernel : source().ladder) fmt::print("{:<{}}  {}\n", kernel->name, width, kernel->idea);
    }
}

std::string names_of(const std::vector<const Backend*>& devices) {
    std::string names;
    for (const Backend* backend : devices) names.append(names.empty() ? "" : ", ").append(backend->name);
    return names;
}

bool is_sized(const Arguments& asked) { return !asked.size.empty() || !asked.shape.empty(); }

/// Its size is left to each device unless it was asked for.
measure::Task task_of(const Arguments& asked) {
    if (!asked.size.empty() && !asked.shape.empty()) refuse("--size and --shape exclude each other");
    measure::Task task;
    task.type = parse_any_type("--type", asked.type);
    task.threads = asked.threads > 0 ? asked.threads : default_threads();
    if (!asked.size.empty()) task.m = task.n = task.k = parse_side("--size", asked.size);
    else if (!asked.shape.empty()) parse_shape("--shape", asked.shape, task);
    if (is_sized(asked)) check_memory(task);
    return task;
}

void print_machine(const Run& run) {
    const measure::Machine& machine = run.machine;
    const char* plural = machine.cores == 1 ? "" : "s";
    fmt::print("{}, {} core{}, {:.2f} GHz; tilewright {}\n\n", machine.processor, machine.cores, plural,
               run.clock_hz * 1e-9, machine.version);
    if (!machine.has_speed) fmt::print("This is a build without optimisation: its speeds mean little.\n\n");
    if (const double load = machine.load[0]; load > 0.5 * machine.cores)
        fmt::print("Other programs are at work (load {:.1f} on {} core{}): speeds will be too low.\n\n", load,
                   machine.cores, plural);
    std::fflush(stdout);
}

/// One device's rows, measured and printed.
void climb(const Arguments& asked, measure::Climb climb, int number, int devices, Run& run) {
    if (!is_sized(asked)) climb.task.m = climb.task.n = climb.task.k = measure::usual_size(*climb.backend);
    const std::size_t first_row = run.rows.size(), first_roof = run.calibrations.size();
    ProgressLine line;
    measure::climb(climb, watch_with(line, number, devices), run);
    line.clear();
    if (run.rows.size() == first_row) return;
    print_table(Rows(std::span(run.rows).subspan(first_row)),
                first_roof < run.calibrations.size() ? &run.calibrations[first_roof] : nullptr);
    if (climb.backend->name == std::string_view("metal-check")) print_metal_counts(climb.task, asked.rungs);
    std::fflush(stdout);
}

void keep(const Run& run, const std::string& json) {
    if (!json.empty()) write_file(json, measure::to_json(run));
    const std::string trouble = run.rows.empty() ? "" : measure::add_to_history(measure::history_path(), run);
    if (!trouble.empty()) fmt::print(stderr, "tw: warning: {}\n", trouble);
}

void run(const Arguments& asked) {
    if (asked.list) {
        if (asked.markdown) std::fputs(measure::ladder_in_markdown().c_str(), stdout);
        else print_list();
        return;
    }
    const measure::Task task = task_of(asked);
    check_place_for(asked.json);

    note_interrupts();
    // Peers are processes: they start before this one has a driver or a pool.
    std::vector<std::shared_ptr<measure::PeerProcess>> peers;
    if (!asked.no_peers) peers = measure::start_peers({}, "", task.threads);
    std::vector<const Backend*> devices;
    if (asked.device.empty()) devices = devices_here();
    else devices.push_back(&parse_device(asked.device));
    for (const std::string& name : asked.rungs) check_kernel_name(name, devices);

    Run run{.command = "ladder", .machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    print_machine(run);
    for (std::size_t i = 0; i < devices.size() && !is_interrupted(); ++i)
        climb(asked,
              {.backend = devices[i],
               .task = task,
               .rungs = asked.rungs,
               .budget = {.seconds = asked.seconds},
               .peers = peers,
               .has_mps = !asked.no_peers},
              static_cast<int>(i), static_cast<int>(devices.size()), run);
    if (run.rows.empty() && !is_interrupted())
        refuse("no rung of {} multiplies {} here; see tw ladder --list",
               asked.rungs.empty() ? names_of(devices) : "that name", asked.type);
    keep(run, asked.json);
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
    stop_if_wrong(run);
}

constexpr const char* examples = R"text(Examples:
  tw ladder
  tw ladder --size 2048 --type f64
  tw ladder --device cpu-check --type bf16
  tw ladder --shape 1000x200x300 --rung r6 --rung r7_hierarchical
  tw ladder --device cpu --rung tile_16 --rung tile_32 --json tiles.json)text";

}  // namespace

void add_ladder(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("ladder", "Runs the ladder of kernels on this machine");
    verb.add_option("--device", asked->device, "cpu, cuda, cuda:1, ...; default: all that are found");
    verb.add_option("--size", asked->size, "N of an N x N x N product; default: 1024 on a CPU, 4096 on a GPU");
    verb.add_option("--shape", asked->shape, "MxNxK instead of --size");
    verb.add_option("--type", asked->type, "f32, f64, c64 or c128; bf16 or f16 where a device has kernels for them")
        .shows_default();
    verb.add_option("--rung", asked->rungs,
                    "Only rungs or kernels of this name, such as r7 or a name of the seeds; may be repeated");
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_option("--seconds", asked->seconds, "How long to time each device").shows_default().within(0.01, 86400.0);
    verb.add_option("--json", asked->json, "Also write the results here, in Google Benchmark's schema");
    verb.add_flag("--no-peers", asked->no_peers, "Do not measure OpenBLAS, BLIS, oneDNN, MKL, cuBLAS and MPS");
    const Option list = verb.add_flag("--list", asked->list, "Only list the rungs of this build, on every backend");
    verb.add_flag("--markdown", asked->markdown, "As the table in docs/ladder.md").needs(list);
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
