// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw bench: times products in turns with other libraries, with the spread of every figure.
#include "measure/bench.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/ending/judged.hpp"
#include "cli/verbs/bench_options.hpp"
#include "cli/verbs/bench_table.hpp"
#include "cli/verbs/loaders.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/peers/mps.hpp"
#include "measure/peers/start.hpp"
#include "measure/rows/history.hpp"
#include "tilewright/plan.hpp"

namespace tw::cli {
namespace {

using measure::Row;
using measure::Run;

std::vector<Row> baseline_of(const std::string& path) {
    std::ifstream file(path);
    if (!file) refuse("--baseline {}: it can't be read", path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    try {
        return measure::rows_from_json(text);
    } catch (const std::runtime_error& error) {
        refuse("--baseline {}: {}", path, error.what());
    }
}

/// Refuses an accuracy that no kernel here keeps, before anything is measured.
void check_promise(const measure::Bench& bench, const std::string& device) {
    if (!bench.kernels.empty()) return;
    const measure::Shape& first = bench.shapes.front();
    const Problem problem{.m = first.m,
                          .n = first.n,
                          .k = first.k,
                          .in = bench.task.type,
                          .out = bench.task.type,
                          .accuracy = bench.task.accuracy};
    Plan plan;
    if (const Status status = try_plan(problem, {.device = device}, plan); status.code == Code::unsupported)
        refuse("--accuracy: {}", status.text);
}

void write_results(const BenchOptions& asked, const Run& run) {
    if (!asked.json.empty()) write_file(asked.json, measure::to_json(run));
    if (!asked.csv.empty()) write_file(asked.csv, measure::to_csv(run));
    if (!asked.markdown.empty()) write_file(asked.markdown, measure::to_markdown(run));
    if (asked.no_history || run.rows.empty()) return;
    const std::string trouble = measure::add_to_history(measure::history_path(), run);
    if (!trouble.empty()) fmt::print(stderr, "tw: warning: {}\n", trouble);
}

/// Refuses what is too large for this machine, and files that could not be written, before anything is measured.
void check_room(const BenchOptions& asked, const measure::Bench& bench) {
    for (const measure::Shape& shape : bench.shapes) {
        measure::Task task = bench.task;
        task.m = shape.m, task.n = shape.n, task.k = shape.k;
        check_memory(task);
    }
    for (const std::string& path : {asked.json, asked.csv, asked.markdown}) check_place_for(path);
}

/// The device, and the peers that work on it. Those are processes: they start before this one has a driver or a pool.
void bring_rivals(const BenchOptions& asked, measure::Bench& bench) {
    if (asked.with_peers) {
        const std::vector<std::string> names = peers_of(asked);
        bench.peers = measure::start_peers(names, "", bench.task.threads);
        bench.has_mps = names.empty() || std::find(names.begin(), names.end(), measure::mps_name) != names.end();
    }
    bench.backend = &parse_device(asked.device);
    for (const std::string& name : bench.kernels) check_kernel_name(name, {bench.backend});
    check_promise(bench, asked.device);
    std::erase_if(bench.peers,
                  [&](const auto& peer) { return bench.backend->name != std::string(peer->description().device); });
}

void measure_and_print(const measure::Bench& bench, Run& result) {
    print_bench_head(result, bench.peers);
    {
        ProgressLine line;
        std::size_t shown = 0;
        measure::bench(bench, watch_with(line), result, [&](const Run& so_far) {
            line.clear();
            print_bench_rows(so_far, shown);
            shown = so_far.rows.size();
        });
    }
    fmt::print("\n");
    for (const Run::Roofline& roof : result.calibrations)
        fmt::print("between the rows: {} {:.1f}, spread {:.1f} %\n", roof.name, roof.median, 100 * roof.spread);
}

void run(const BenchOptions& asked) {
    if (asked.what == "loaders") return run_loaders(asked.device);
    if (!asked.what.empty()) refuse("bench: expected loaders or no word; got '{}'", asked.what);
    if (is_survey(asked.suite)) return run_survey(survey_of(asked));
    measure::Bench bench = bench_of(asked);
    std::vector<Row> before;
    if (!asked.baseline.empty()) before = baseline_of(asked.baseline);
    check_room(asked, bench);

    note_interrupts();
    bring_rivals(asked, bench);
    Run result{.command = "bench", .machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    measure_and_print(bench, result);
    write_results(asked, result);
    const int slower = before.empty() ? 0 : print_against_baseline(result, before);
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
    stop_if_wrong(result);
    if (slower)
        throw Stop(Exit::failed, fmt::format("{} problem{} slower than the baseline, beyond noise", slower,
                                             slower == 1 ? " is" : "s are"));
}

constexpr const char* examples = R"text(Examples:
  tw bench --peers
  tw bench --suite skinny --peers=openblas,blis --json now.json
  tw bench --m 8:4096:x2 --n 4096 --k 4096 --threads 1
  tw bench --m 256,512 --kernel r6_vectorized --kernel r7_hierarchical
  tw bench --m 1,64,1000 --n 1000 --k 1000 --reproducible
  tw bench --m 256:4096:x2 --threads 2 --scaling --callers 2
  tw bench --m 16,32,64 --batch 256
  tw bench --baseline before.json
  tw bench --suite survey --seed 1 --count 400 --device cuda --peers=cublas --json survey.json
  tw bench loaders --device metal-check)text";

}  // namespace

void add_bench(Verb tw) {
    const auto asked = std::make_shared<BenchOptions>();
    const Verb verb = tw.add_verb("bench", "Measures products of many shapes, in turns with the peers");
    const Option peers = add_bench_options(verb, *asked);
    verb.ends_help_with(examples);
    verb.runs([asked, peers] {
        asked->with_peers = peers.is_given();
        run(*asked);
    });
}

}  // namespace tw::cli
