// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw report: one page that shows this machine's climb. What the history has is shown; what it lacks is measured now.
#include "measure/report.hpp"

#include <memory>

#include "base/threads.hpp"
#include "cli/devices.hpp"
#include "cli/exit.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "measure/bench.hpp"
#include "measure/clock.hpp"
#include "measure/history.hpp"
#include "measure/ladder.hpp"
#include "measure/points.hpp"
#include "plan/registry.hpp"

namespace tw::cli {
namespace {

struct Asked {
    std::string output = "report.html";
    double seconds = 30;
    bool is_fresh = false;
};

constexpr std::size_t largest_page = std::size_t{2} << 20;

/// One climb on each device; its share of the budget is what the judge leaves.
void measure_climb(const Asked& asked, const std::vector<std::shared_ptr<measure::PeerProcess>>& peers, const measure::Watch& watch,
                   measure::Run& run) {
    for (const Backend* backend : devices_here()) {
        if (backend->times_mean_nothing || watch.is_interrupted()) continue;
        measure::Climb climb{.backend = backend, .task = {.threads = default_threads()}, .budget = {.seconds = asked.seconds * 0.3}, .peers = peers};
        climb.task.m = climb.task.n = climb.task.k = backend->place == Place::host ? 512 : 4096;
        measure::climb(climb, watch, run);
    }
}

void measure_shapes(const Asked& asked, const std::vector<std::shared_ptr<measure::PeerProcess>>& peers, const measure::Watch& watch,
                    measure::Run& run) {
    measure::Bench bench{.backend = find_backend("cpu"), .task = {.threads = default_threads()}, .peers = peers};
    bench.shapes = {{64, 64, 64}, {256, 256, 256}, {512, 512, 512}, {1024, 1024, 1024}, {8, 2048, 2048}, {32, 2048, 2048}, {2048, 2048, 64}, {1000, 200, 300}, {255, 257, 253}};
    bench.task.accuracy = fp32;
    bench.budget.seconds = asked.seconds * 0.4 / static_cast<double>(bench.shapes.size());
    measure::bench(bench, watch, run, {});
}

void run(const Asked& asked) {
    note_interrupts();
    measure::ReportData data{.machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    const std::string history = measure::history_path();
    if (!asked.is_fresh) {
        data.climb = measure::last_from_history(history, "ladder", data.machine);
        data.shapes = measure::last_from_history(history, "bench", data.machine);
    }
    {
        ProgressLine line;
        const bool lacks_climb = data.climb.empty(), lacks_shapes = data.shapes.empty();
        std::vector<std::shared_ptr<measure::PeerProcess>> peers;
        if (lacks_climb || lacks_shapes) peers = measure::start_peers({}, "", default_threads());
        for (const bool is_climb : {true, false}) {
            if (!(is_climb ? lacks_climb : lacks_shapes) || is_interrupted()) continue;
            measure::Run result{.command = is_climb ? "ladder" : "bench", .machine = data.machine, .clock_hz = data.clock_hz};
            if (is_climb) measure_climb(asked, peers, watch_with(line, 0, 2), result);
            else measure_shapes(asked, peers, watch_with(line, 1, 2), result);
            (is_climb ? data.climb : data.shapes) = result.rows;
            line.clear();
            if (const std::string trouble = measure::add_to_history(history, result); !trouble.empty())
                fmt::print(stderr, "tw: warning: {}\n", trouble);
        }
    }
    data.units = measure::measure_units(0.1, default_threads());
    data.bandwidths = measure::measure_bandwidths(0.08, default_threads());
    data.points = measure::points_of(data.climb, data.bandwidths);
    const std::string page = measure::report_page(data);
    if (page.size() > largest_page) fail("the page would have {} bytes, more than {}", page.size(), largest_page);
    write_file(asked.output, page);
    if (asked.output != "-") fmt::print("{}: {} kB; open it in a browser\n", asked.output, page.size() / 1000);
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; the page has what was measured");
}

}  // namespace

void add_report(Verb tw) {
    const auto asked = std::make_shared<Asked>();
    const Verb verb = tw.add_verb("report", "Writes one HTML page of what was measured on this machine");
    verb.add_option("-o,--output", asked->output, "Where to; - is standard output").shows_default();
    verb.add_option("--seconds", asked->seconds, "For what the history lacks").shows_default().within(0.1, 86400.0);
    verb.add_flag("--fresh", asked->is_fresh, "Measure all of it again");
    verb.ends_help_with("Examples:\n  tw report -o report.html\n  tw report --fresh --seconds 120");
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
