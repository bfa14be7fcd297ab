// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw report: one page about this machine's ladder. It shows what the history has, and measures what is missing.
#include "measure/report/report.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>

#include "base/threads.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/bench.hpp"
#include "measure/counts.hpp"
#include "measure/dial.hpp"
#include "measure/effort/curve.hpp"
#include "measure/ladder.hpp"
#include "measure/peers/start.hpp"
#include "measure/report/effort.hpp"
#include "measure/roofs/device_roofs.hpp"
#include "measure/rows/history.hpp"
#include "measure/rows/points.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    std::string output = "report.html", picture;
    double seconds = 30;
    bool is_fresh = false, is_opened = false;
};

using Peers = std::vector<std::shared_ptr<measure::PeerProcess>>;

constexpr std::size_t largest_page = std::size_t{2} << 20;

/// The side of the square product for the ladder and for the accuracy dial.
std::int64_t side_of(const Backend& backend) { return backend.place == Place::host ? 512 : 4096; }

/// One ladder on each device. A third of the time is left to the judge.
void measure_climb(const Arguments& asked, const measure::ReportData&, const Peers& peers, const measure::Watch& watch,
                   measure::Run& run) {
    for (const Backend* backend : devices_here()) {
        if (backend->times_mean_nothing || watch.is_interrupted()) continue;
        measure::Climb climb{.backend = backend,
                             .task = {.threads = default_threads()},
                             .budget = {.seconds = asked.seconds * 0.25},
                             .peers = peers,
                             .has_mps = true};
        climb.task.m = climb.task.n = climb.task.k = side_of(*backend);
        measure::climb(climb, watch, run);
    }
}

/// On the ladder's matrices, so that the ladder's peers can be shown beside it.
measure::Task task_of_dial(const Backend& backend, const measure::ReportData& data) {
    const std::int64_t side = side_of(backend);
    measure::Task task{.m = side, .n = side, .k = side, .threads = default_threads()};
    for (const measure::Row& row : data.climb)
        if (row.device == backend.name && row.type == "f32") task.m = row.m, task.n = row.n, task.k = row.k;
    return task;
}

void measure_dial(const Arguments& asked, const measure::ReportData& data, const Peers&, const measure::Watch& watch,
                  measure::Run& run) {
    for (const Backend* backend : devices_here()) {
        if (backend->times_mean_nothing || watch.is_interrupted()) continue;
        measure::turn_dial(
            {.backend = backend, .task = task_of_dial(*backend, data), .budget = {.seconds = asked.seconds * 0.1}},
            watch, run);
    }
}

void measure_shapes(const Arguments& asked, const measure::ReportData&, const Peers& peers, const measure::Watch& watch,
                    measure::Run& run) {
    measure::Bench bench{.backend = find_backend("cpu"), .task = {.threads = default_threads()}, .peers = peers};
    bench.shapes = {{64, 64, 64},     {256, 256, 256},  {512, 512, 512},  {1024, 1024, 1024}, {8, 2048, 2048},
                    {32, 2048, 2048}, {2048, 2048, 64}, {1000, 200, 300}, {255, 257, 253}};
    bench.budget.seconds = asked.seconds * 0.3 / static_cast<double>(bench.shapes.size());
    measure::bench(bench, watch, run, {});
}

/// Shapes that a machine has done with in some seconds; tw effort curve takes larger ones.
void measure_effort_errors(const Arguments&, const measure::ReportData&, const Peers&, const measure::Watch& watch,
                           measure::Run& run) {
    measure::measure_effort_quality({.outputs = 512, .inputs = 1024, .threads = default_threads()}, watch, run);
}

void measure_effort_times(const Arguments& asked, const measure::ReportData&, const Peers&, const measure::Watch& watch,
                          measure::Run& run) {
    measure::measure_effort_speed({.outputs = 4096, .inputs = 4096, .seconds = asked.seconds * 0.2}, watch, run);
}

/// A part of the page: how to find it in the history, and how to measure it.
struct Part {
    const char* command;
    std::vector<measure::Row> measure::ReportData::* rows;
    void (*measure)(const Arguments&, const measure::ReportData&, const Peers&, const measure::Watch&, measure::Run&);
};
constexpr Part parts[] = {{"ladder", &measure::ReportData::climb, measure_climb},
                          {"dial", &measure::ReportData::dial, measure_dial},
                          {"bench", &measure::ReportData::shapes, measure_shapes},
                          {"effort quality", &measure::ReportData::effort_quality, measure_effort_errors},
                          {"effort speed", &measure::ReportData::effort_speed, measure_effort_times}};

/// The matrix unit's and the pipeline's rungs, where nothing here was timed at them.
std::vector<std::string> rungs_of_no_device(const std::vector<measure::Row>& climb) {
    std::vector<std::string> rungs;
    for (const char* rung : {"r8_matrix_unit", "r9_async_pipeline"})
        if (std::none_of(climb.begin(), climb.end(), [&](const measure::Row& row) { return row.rung == rung; }))
            rungs.emplace_back(rung);
    return rungs;
}

bool lacks_any(const Arguments& asked, const std::string& history, const measure::Machine& machine) {
    return asked.is_fresh || std::any_of(std::begin(parts), std::end(parts), [&](const Part& part) {
               return measure::last_from_history(history, part.command, machine).empty();
           });
}

/// By the desktop's own program for that; it goes on when tw has ended.
void open_in_browser(const std::string& page) {
#ifdef __APPLE__
    const char* const program = "open";
#else
    const char* const program = "xdg-open";
#endif
    const char* const words[] = {program, page.c_str(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, program, nullptr, nullptr, const_cast<char* const*>(words), environ) != 0)
        fail("--open: there is no {} here; open {} in a browser", program, page);
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0)
        fail("--open: {} found no browser; open {} in one", program, page);
}

/// Each part from the history; what it lacks is measured now, and kept there.
void bring_parts(const Arguments& asked, measure::ReportData& data) {
    const std::string history = measure::history_path();
    ProgressLine line;
    const Peers peers =
        lacks_any(asked, history, data.machine) ? measure::start_peers({}, "", default_threads()) : Peers{};
    int before = 0;
    for (const Part& part : parts) {
        std::vector<measure::Row>& rows = data.*part.rows;
        if (!asked.is_fresh) rows = measure::last_from_history(history, part.command, data.machine);
        const measure::Watch watch = watch_with(line, before++, static_cast<int>(std::size(parts)));
        if (!rows.empty() || is_interrupted()) continue;
        measure::Run result{.command = part.command, .machine = data.machine, .clock_hz = data.clock_hz};
        part.measure(asked, data, peers, watch, result);
        rows = result.rows;
        line.clear();
        if (const std::string trouble = measure::add_to_history(history, result); !trouble.empty())
            fmt::print(stderr, "tw: warning: {}\n", trouble);
    }
}

/// What the page has beside the parts: roofs, and what follows from the rows.
void complete(measure::ReportData& data) {
    data.units = measure::measure_units(0.1, default_threads());
    data.bandwidths = measure::measure_bandwidths(0.08, default_threads());
    for (const Backend* backend : devices_here())
        for (const Roof& roof : backend->roofs)
            data.device_roofs.push_back({fmt::format("{} {} {}", backend->name, roof.unit, roof.type),
                                         measure::loop_of(roof, 0.1), measure::formula_of(roof),
                                         std::string_view(roof.type) == "bytes"});
    data.points = measure::points_of(data.climb, data.bandwidths);
    if (const auto rungs = rungs_of_no_device(data.climb); !rungs.empty())
        data.counted = measure::count_metal_rungs({.m = 64, .n = 64, .k = 64}, rungs);
    data.further.push_back(measure::effort_section(data.effort_quality, data.effort_speed));
}

void write_picture(const std::string& path, const measure::ReportData& data) {
    const std::string picture = measure::accuracy_picture(data);
    if (picture.empty()) fail("--picture: nothing was measured for it");
    write_file(path, picture);
}

void run(const Arguments& asked) {
    if (asked.is_opened && asked.output == "-") refuse("--open needs a file; standard output is none");
    check_place_for(asked.output);
    check_place_for(asked.picture);
    note_interrupts();
    measure::ReportData data{.machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    bring_parts(asked, data);
    complete(data);
    const std::string page = measure::report_page(data);
    if (page.size() > largest_page) fail("the page would have {} bytes, more than {}", page.size(), largest_page);
    write_file(asked.output, page);
    if (!asked.picture.empty()) write_picture(asked.picture, data);
    if (asked.output != "-")
        fmt::print("{}: {} kB{}\n", asked.output, page.size() / 1000,
                   asked.is_opened ? "" : "; open it in a browser, or say --open");
    std::fflush(stdout);
    if (asked.is_opened) open_in_browser(asked.output);
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; the page has what was measured");
}

}  // namespace

void add_report(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("report", "Writes one HTML page of what was measured on this machine");
    verb.add_option("-o,--output", asked->output, "The file to write; - is standard output").shows_default();
    verb.add_option("--seconds", asked->seconds, "How long to measure what the history lacks")
        .shows_default()
        .within(0.1, 86400.0);
    verb.add_flag("--fresh", asked->is_fresh, "Measure all of it again");
    verb.add_flag("--open", asked->is_opened, "Show the page in this desktop's browser");
    verb.add_option("--picture", asked->picture, "Also write error against speed as an SVG that stands alone");
    verb.ends_help_with("Examples:\n  tw report -o report.html\n  tw report --fresh --seconds 120\n  tw report --open");
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
