// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/verbs/bench_options.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/ending/exit.hpp"
#include "measure/peers/mps.hpp"
#include "measure/turns/openmp_region.hpp"

namespace tw::cli {
namespace {

std::vector<std::int64_t> list_of(const char* option, const std::string& text) {
    if (text.empty()) return {};
    try {
        return measure::parse_list(text);
    } catch (const std::invalid_argument& error) {
        refuse("{}: {}", option, error.what());
    }
}

std::vector<measure::Shape> shapes_of(const BenchOptions& asked) {
    const bool has_lists = !asked.m.empty() || !asked.n.empty() || !asked.k.empty();
    if (has_lists && !asked.suite.empty()) refuse("--suite and --m, --n, --k exclude each other");
    if (has_lists) return measure::shapes_of(list_of("--m", asked.m), list_of("--n", asked.n), list_of("--k", asked.k));
    const std::string name = asked.suite.empty() ? "square" : asked.suite;
    auto shapes = measure::suite(name);
    if (shapes.empty())
        refuse("--suite: expected square, skinny, small, ragged, llm, mixed, survey or decode; got '{}'", name);
    return shapes;
}

void refuse_what_excludes(const BenchOptions& asked) {
    const SurveyArguments usual, &survey = asked.survey;
    const std::pair<bool, const char*> of_surveys[] = {
        {!survey.from.empty(), "--from"},      {!survey.types.empty(), "--types"},
        {!survey.cases.empty(), "--cases"},    {survey.shard != usual.shard, "--shard"},
        {survey.seed != usual.seed, "--seed"}, {survey.count != usual.count, "--count"}};
    for (const auto& [is_asked, option] : of_surveys)
        if (is_asked) refuse("{} is for --suite survey and decode", option);
    if (asked.is_cold && asked.is_hot) refuse("--cold and --hot exclude each other");
    const std::pair<bool, const char*> ways[] = {
        {asked.is_reproducible, "--reproducible"}, {asked.is_scaling, "--scaling"}, {asked.callers > 0, "--callers"}};
    for (const auto& [is_asked, option] : ways) {
        if (is_asked && !asked.kernels.empty()) refuse("{} and --kernel exclude each other", option);
        if (is_asked && asked.batch > 0) refuse("{} and --batch exclude each other", option);
        if (is_asked && !asked.is_reproducible && asked.device != "cpu")
            refuse("{}: threads are the CPU's; got '--device {}'", option, asked.device);
    }
    if (asked.callers > 0 && !measure::has_openmp())
        refuse("--callers: an OpenMP runtime was expected, libgomp or libomp; none is found here");
}

}  // namespace

Option add_bench_options(const Verb& verb, BenchOptions& asked) {
    verb.add_option(
        "WHAT", asked.what,
        "loaders: measure instead how many SIMD-groups should load a tile, on --device cuda, metal or metal-check");
    verb.add_option("--m", asked.m, "Rows of C: a list or ranges, such as 64,100 or 8:4096:x2 or 10:50:+10");
    verb.add_option("--n", asked.n, "Columns of C; default: as --m");
    verb.add_option("--k", asked.k, "Columns of A; default: as --m");
    verb.add_option("--suite", asked.suite,
                    "square, skinny, small, ragged, llm, mixed, survey or decode; default: square");
    add_survey_options(verb, asked.survey);
    verb.add_option("--type", asked.type, "f32, f64, c64 or c128").shows_default();
    verb.add_option("--accuracy", asked.accuracy,
                    "The accuracy that multiply() must keep: auto, fp32, tf32, bf16, ... or a number")
        .shows_default();
    verb.add_option("--device", asked.device, "cpu, cuda, cuda:1, ...").shows_default();
    verb.add_option("--threads", asked.threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_option("--kernel", asked.kernels,
                    "Kernels or rungs by name instead of what multiply() chooses; may be repeated");
    const Option peers = verb.add_option(
        "--peers", asked.peers,
        "Also measure openblas, blis, onednn, mkl, libxsmm, cublas, mps: those listed, or all that are found");
    peers.may_stand_alone();
    verb.add_option("--seconds", asked.seconds, "How long to time each shape").shows_default().within(0.01, 86400.0);
    verb.add_option("--relative-error", asked.relative_error, "Stop a shape earlier once every interval is this narrow")
        .within(0.0, 1.0);
    verb.add_flag("--cold", asked.is_cold, "Empty the caches before each product");
    verb.add_flag("--hot", asked.is_hot, "Leave the operands in the caches, the default");
    verb.add_flag("--reproducible", asked.is_reproducible,
                  "Also measure Options::reproducible: a row's bits depend on nothing around it");
    verb.add_flag("--scaling", asked.is_scaling, "Also measure on one thread");
    verb.add_option("--callers", asked.callers,
                    "Also measure so many calls at once, each from a thread of an OpenMP region")
        .within(1, most_threads);
    verb.add_option("--batch", asked.batch,
                    "Also measure batches of so many products, by steps and by pointers, and the peers' batches")
        .within(2, 1 << 20);
    verb.add_flag("--no-verify", asked.is_unverified, "Also time results that fail the judge");
    verb.add_flag("--no-history", asked.no_history, "Do not add to the history");
    verb.add_option("--json", asked.json, "Write the results here, in Google Benchmark's schema; - is standard output");
    verb.add_option("--csv", asked.csv, "Write the results here as CSV");
    verb.add_option("--markdown", asked.markdown, "Write the results here as a Markdown table");
    verb.add_option("--baseline", asked.baseline,
                    "Compare with the JSON of an earlier run; exit 1 when slower beyond noise");
    return peers;
}

measure::Bench bench_of(const BenchOptions& asked) {
    refuse_what_excludes(asked);
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
    return bench;
}

std::vector<std::string> peers_of(const BenchOptions& asked) {
    const std::string& list = asked.peers;
    std::vector<std::string> names;
    for (std::size_t start = 0; start < list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        names.push_back(list.substr(start, comma - start));
        if (!measure::find_peer_kind(names.back()) && names.back() != measure::mps_name)
            refuse("--peers: expected openblas, blis, onednn, mkl, libxsmm, cublas or mps; got '{}'", names.back());
        start = comma + 1;
    }
    return names;
}

SurveyArguments survey_of(const BenchOptions& asked) {
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
    const SurveyArguments usual;
    SurveyArguments survey = asked.survey;
    const std::pair<bool, const char*> of_drawing[] = {{asked.suite != "survey", "--suite decode"},
                                                       {!survey.types.empty(), "--types"},
                                                       {survey.seed != usual.seed, "--seed"},
                                                       {survey.count != usual.count, "--count"}};
    for (const auto& [is_asked, option] : of_drawing)
        if (is_asked && !survey.cases.empty()) refuse("--cases and {} exclude each other", option);
    survey.suite = asked.suite, survey.device = asked.device, survey.json = asked.json, survey.peers = asked.peers;
    survey.threads = asked.threads, survey.baseline = asked.baseline;
    survey.with_peers = asked.with_peers, survey.is_reproducible = asked.is_reproducible;
    return survey;
}

}  // namespace tw::cli
