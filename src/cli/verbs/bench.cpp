// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw bench: the benchmark for people who distrust benchmarks.
#include "measure/bench.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/loaders.hpp"
#include "cli/verbs/survey.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/clock.hpp"
#include "measure/peers/mps.hpp"
#include "measure/rows/history.hpp"
#include "measure/turns/openmp_region.hpp"
#include "tilewright/plan.hpp"

namespace tw::cli {
namespace {

using measure::Row;
using measure::Run;

struct Asked {
    std::string what, m, n, k, suite, type = "f32", accuracy = "auto", device = "cpu", peers, json, csv, markdown,
                                      baseline;
    std::vector<std::string> kernels;
    SurveyAsked survey;
    double seconds = 3, relative_error = 0;
    int threads = 0, batch = 0, callers = 0;
    bool with_peers = false, is_cold = false, is_hot = false, is_unverified = false, no_history = false,
         is_reproducible = false, is_scaling = false;
};

std::vector<std::int64_t> list_of(const char* option, const std::string& text) {
    if (text.empty()) return {};
    try {
        return measure::parse_list(text);
    } catch (const std::invalid_argument& error) {
        refuse("{}: {}", option, error.what());
    }
}

std::vector<measure::Shape> shapes_of(const Asked& asked) {
    const bool has_lists = !asked.m.empty() || !asked.n.empty() || !asked.k.empty();
    if (has_lists && !asked.suite.empty()) refuse("--suite and --m, --n, --k exclude each other");
    if (has_lists) return measure::shapes_of(list_of("--m", asked.m), list_of("--n", asked.n), list_of("--k", asked.k));
    const std::string name = asked.suite.empty() ? "square" : asked.suite;
    auto shapes = measure::suite(name);
    if (shapes.empty())
        refuse("--suite: expected square, skinny, small, ragged, llm, mixed, survey or decode; '{}' came", name);
    return shapes;
}

std::vector<std::string> names_of(const std::string& list) {
    std::vector<std::string> names;
    for (std::size_t start = 0; start < list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        names.push_back(list.substr(start, comma - start));
        if (!measure::find_peer_kind(names.back()) && names.back() != measure::mps_name)
            refuse("--peers: expected openblas, blis, onednn, mkl, libxsmm, cublas or mps; '{}' came", names.back());
        start = comma + 1;
    }
    return names;
}

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

void print_head(const Run& run, const std::vector<std::shared_ptr<measure::PeerProcess>>& peers) {
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

void print_rows(const Run& run, std::size_t first) {
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

/// Exit 1 only where something is slower beyond noise.
int print_baseline(const Run& run, const std::vector<Row>& before) {
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

/// A promise that no kernel here keeps is told before anything is measured.
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

void write_results(const Asked& asked, const Run& run) {
    if (!asked.json.empty()) write_file(asked.json, measure::to_json(run));
    if (!asked.csv.empty()) write_file(asked.csv, measure::to_csv(run));
    if (!asked.markdown.empty()) write_file(asked.markdown, measure::to_markdown(run));
    if (asked.no_history || run.rows.empty()) return;
    const std::string trouble = measure::add_to_history(measure::history_path(), run);
    if (!trouble.empty()) fmt::print(stderr, "tw: warning: {}\n", trouble);
}

/// A survey draws its shapes and chooses its ways to time them: what says otherwise is refused.
void run_as_survey(const Asked& asked) {
    const std::pair<bool, const char*> others[] = {{!asked.m.empty() || !asked.n.empty() || !asked.k.empty(), "--m"},
                                                   {!asked.kernels.empty(), "--kernel"},
                                                   {asked.batch > 0, "--batch"},
                                                   {asked.callers > 0, "--callers"},
                                                   {asked.is_scaling, "--scaling"},
                                                   {asked.is_cold, "--cold"},
                                                   {!asked.csv.empty(), "--csv"},
                                                   {!asked.markdown.empty(), "--markdown"}};
    for (const auto& [is_asked, option] : others)
        if (is_asked) refuse("--suite {} and {} exclude each other", asked.suite, option);
    SurveyAsked survey = asked.survey;
    survey.suite = asked.suite, survey.device = asked.device, survey.json = asked.json, survey.peers = asked.peers;
    survey.threads = asked.threads, survey.baseline = asked.baseline;
    survey.with_peers = asked.with_peers, survey.is_reproducible = asked.is_reproducible;
    run_survey(survey);
}

void run(const Asked& asked) {
    if (asked.what == "loaders") return run_loaders(asked.device);
    if (!asked.what.empty()) refuse("bench: nothing, or loaders, was expected; '{}' came", asked.what);
    if (is_survey(asked.suite)) return run_as_survey(asked);
    if (asked.is_cold && asked.is_hot) refuse("--cold and --hot exclude each other");
    const std::pair<bool, const char*> ways[] = {
        {asked.is_reproducible, "--reproducible"}, {asked.is_scaling, "--scaling"}, {asked.callers > 0, "--callers"}};
    for (const auto& [is_asked, option] : ways) {
        if (is_asked && !asked.kernels.empty()) refuse("{} and --kernel exclude each other", option);
        if (is_asked && asked.batch > 0) refuse("{} and --batch exclude each other", option);
        if (is_asked && !asked.is_reproducible && asked.device != "cpu")
            refuse("{}: threads are the CPU's; '--device {}' came", option, asked.device);
    }
    if (asked.callers > 0 && !measure::has_openmp())
        refuse("--callers: an OpenMP runtime was expected, libgomp or libomp; none is found here");
    measure::Bench bench;
    bench.shapes = shapes_of(asked);
    bench.kernels = asked.kernels;
    bench.task.type = parse_type("--type", asked.type);
    bench.task.accuracy = resolve(parse_accuracy_word("--accuracy", asked.accuracy), bench.task.type);
    bench.task.threads = asked.threads > 0 ? asked.threads : default_threads();
    bench.task.is_cold = asked.is_cold;
    bench.budget = {.seconds = asked.seconds, .relative_error = asked.relative_error};
    bench.is_judged = !asked.is_unverified;
    bench.is_also_reproducible = asked.is_reproducible;
    bench.callers = asked.callers;
    if (asked.batch > 0) bench.task.products = asked.batch;
    const bool has_alone =
        asked.is_scaling || asked.callers > 0 || (asked.batch > 0 && asked.device == "cpu" && asked.kernels.empty());
    bench.is_also_on_one_thread = has_alone && bench.task.threads > 1;
    std::vector<Row> before;
    if (!asked.baseline.empty()) before = baseline_of(asked.baseline);
    for (const measure::Shape& shape : bench.shapes) {
        measure::Task task = bench.task;
        task.m = shape.m, task.n = shape.n, task.k = shape.k;
        check_memory(task);
    }
    for (const std::string& path : {asked.json, asked.csv, asked.markdown}) check_place_for(path);

    note_interrupts();
    if (asked.with_peers) {
        const std::vector<std::string> names = names_of(asked.peers);
        bench.peers = measure::start_peers(names, "", bench.task.threads);
        bench.has_mps = names.empty() || std::find(names.begin(), names.end(), measure::mps_name) != names.end();
    }
    bench.backend = &parse_device(asked.device);
    for (const std::string& name : bench.kernels) check_kernel_name(name, {bench.backend});
    check_promise(bench, asked.device);
    std::erase_if(bench.peers,
                  [&](const auto& peer) { return bench.backend->name != std::string(peer->description().device); });

    Run result{.command = "bench", .machine = measure::this_machine(), .clock_hz = measure::core_clock()};
    print_head(result, bench.peers);
    {
        ProgressLine line;
        std::size_t shown = 0;
        measure::bench(bench, watch_with(line), result, [&](const Run& so_far) {
            line.clear();
            print_rows(so_far, shown);
            shown = so_far.rows.size();
        });
    }
    fmt::print("\n");
    for (const Run::Roofline& roof : result.calibrations)
        fmt::print("between the rows: {} {:.1f}, spread {:.1f} %\n", roof.name, roof.median, 100 * roof.spread);
    write_results(asked, result);
    const int slower = before.empty() ? 0 : print_baseline(result, before);
    int wrong = 0;
    for (const Row& row : result.rows) wrong += !row.ok && row.provider == "tilewright";
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
    if (wrong) throw Stop(Exit::wrong_result, fmt::format("{} of our rows failed the judge", wrong));
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
    const auto asked = std::make_shared<Asked>();
    const Verb verb = tw.add_verb("bench", "Measures products of many shapes, in turns with the peers");
    verb.add_option("what", asked->what,
                    "loaders: how many SIMD-groups should share the loading, on --device cuda, metal or metal-check");
    verb.add_option("--m", asked->m, "Rows of C: a list or ranges, such as 64,100 or 8:4096:x2 or 10:50:+10");
    verb.add_option("--n", asked->n, "Columns of C; as --m when left out");
    verb.add_option("--k", asked->k, "Columns of A; as --m when left out");
    verb.add_option("--suite", asked->suite,
                    "square, skinny, small, ragged, llm, mixed, survey or decode; square when nothing is said");
    add_survey_options(verb, asked->survey);
    verb.add_option("--type", asked->type, "f32 or f64").shows_default();
    verb.add_option("--accuracy", asked->accuracy, "What multiply() must keep: auto, fp32, tf32, bf16, ... or a number")
        .shows_default();
    verb.add_option("--device", asked->device, "cpu, cuda, cuda:1, ...").shows_default();
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_option("--kernel", asked->kernels,
                    "Kernels or rungs by name instead of what multiply() chooses; may be repeated");
    const Option peers = verb.add_option(
        "--peers", asked->peers, "Also openblas, blis, onednn, mkl, libxsmm, cublas, mps: those named, or all found");
    peers.may_stand_alone();
    verb.add_option("--seconds", asked->seconds, "For each shape").shows_default().within(0.01, 86400.0);
    verb.add_option("--relative-error", asked->relative_error,
                    "Stop a shape earlier once every interval is this narrow")
        .within(0.0, 1.0);
    verb.add_flag("--cold", asked->is_cold, "Empty the caches before each product");
    verb.add_flag("--hot", asked->is_hot, "Leave the operands in the caches, as is usual");
    verb.add_flag("--reproducible", asked->is_reproducible,
                  "Also what multiply() chooses where a row's bits may depend on nothing around it");
    verb.add_flag("--scaling", asked->is_scaling, "Also on one thread");
    verb.add_option("--callers", asked->callers, "Also so many calls at once, each by a thread of an OpenMP region")
        .within(1, most_threads);
    verb.add_option("--batch", asked->batch,
                    "Also batches of so many products, by steps and by pointers; peers multiply a batch then")
        .within(2, 1 << 20);
    verb.add_flag("--no-verify", asked->is_unverified, "Time also what fails the judge");
    verb.add_flag("--no-history", asked->no_history, "Keep nothing in the history");
    verb.add_option("--json", asked->json,
                    "Write the results here, in Google Benchmark's schema; - is standard output");
    verb.add_option("--csv", asked->csv, "Write the results here as CSV");
    verb.add_option("--markdown", asked->markdown, "Write the results here as a Markdown table");
    verb.add_option("--baseline", asked->baseline,
                    "Compare with this JSON of an earlier run; exit 1 when slower beyond noise");
    verb.ends_help_with(examples);
    verb.runs([asked, peers] {
        asked->with_peers = peers.is_given();
        run(*asked);
    });
}

}  // namespace tw::cli
