// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw bench --suite survey: shapes as users have them, drawn by a seed, against the peer's best.
#include "cli/verbs/survey.hpp"

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "measure/survey/changes.hpp"
#include "measure/survey/draw.hpp"
#include "measure/survey/read_case.hpp"
#include "measure/survey/survey_json.hpp"
#include "measure/survey/table.hpp"

namespace tw::cli {
namespace {

using measure::Outcome;

std::vector<const measure::Kind*> kinds_of(const std::string& list) {
    std::vector<const measure::Kind*> kinds;
    if (list.empty())
        for (const measure::Kind& kind : measure::every_kind())
            if (kind.is_usual) kinds.push_back(&kind);
    for (std::size_t start = 0; start < list.size();) {
        const std::size_t comma = std::min(list.find(',', start), list.size());
        const std::string name = list.substr(start, comma - start);
        kinds.push_back(measure::find_kind(name));
        if (!kinds.back())
            refuse("--types: expected bf16, f16, f32, tf32, fp32_elementwise, f64, c64 or c128; got '{}'", name);
        start = comma + 1;
    }
    return kinds;
}

/// Those of a file, a line each; empty lines and those that begin by # are left out.
std::vector<measure::Case> cases_in(const std::string& path) {
    std::ifstream file(path);
    if (!file) refuse("--cases {}: it can't be read", path);
    std::vector<measure::Case> cases;
    std::string line, trouble;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos || line[first] == '#') continue;
        if (!measure::read_case(line, cases.emplace_back(), trouble))
            refuse("--cases {}:{}: {}", path, number, trouble);
    }
    if (cases.empty()) refuse("--cases {}: expected a shape on each line, such as 'bf16 208x4096x4096 NT'", path);
    return cases;
}

std::vector<measure::Case> cases_of(const SurveyArguments& asked, bool is_host) {
    const std::size_t slash = asked.shard.find('/');
    if (slash == std::string::npos) refuse("--shard: expected I/N, such as 1/2; got '{}'", asked.shard);
    const auto parts = static_cast<int>(parse_whole("--shard", asked.shard.substr(slash + 1), 1, 1000));
    const auto number = static_cast<int>(parse_whole("--shard", asked.shard.substr(0, slash), 1, parts));
    const measure::Limits& limits = is_host ? measure::host_limits : measure::device_limits;
    if (!asked.cases.empty()) return measure::shard(cases_in(asked.cases), number, parts);
    const auto kinds = kinds_of(asked.types);
    const auto seed = static_cast<std::uint64_t>(asked.seed);
    return measure::shard(
        asked.suite == "decode" ? measure::decoding(kinds, limits) : measure::draw(seed, asked.count, kinds, limits),
        number, parts);
}

std::vector<Outcome> read_outcomes(const char* option, const std::vector<std::string>& files) {
    std::vector<Outcome> all;
    for (const std::string& path : files) {
        std::ifstream file(path);
        if (!file) refuse("{} {}: it can't be read", option, path);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        try {
            const std::vector<Outcome> some = measure::outcomes_from_json(text);
            all.insert(all.end(), some.begin(), some.end());
        } catch (const std::runtime_error& error) {
            refuse("{} {}: {}", option, path, error.what());
        }
    }
    return all;
}

std::string command_of(const SurveyArguments& asked) {
    const std::string drawn =
        asked.cases.empty() ? fmt::format("--seed {} --count {}", asked.seed, asked.count) : "--cases " + asked.cases;
    return fmt::format("tw bench --suite {} {} --shard {} --device {}{}{}{}", asked.suite, drawn, asked.shard,
                       asked.device, asked.types.empty() ? "" : " --types " + asked.types,
                       !asked.with_peers       ? ""
                       : asked.device == "cpu" ? " --peers"
                                               : " --peers=cublas",
                       asked.is_reproducible ? " --reproducible" : "");
}

/// Prints outcomes as they come, and writes the file from time to time, so that an interrupted run loses little.
std::vector<Outcome> measured(const SurveyArguments& asked) {
    constexpr std::size_t at_a_time = 20;
    check_place_for(asked.json);
    const measure::Survey survey = survey_of(asked);
    note_interrupts();
    std::vector<Outcome> outcomes;
    measure::SurveyContext context{.machine = measure::this_machine(), .command = command_of(asked)};
    const auto keep = [&] {
        if (!asked.json.empty()) write_file(asked.json, measure::to_json(context, outcomes));
    };
    ProgressLine line;
    const measure::Opened opened = measure::survey(
        survey, watch_with(line),
        [&](const measure::Opened& what) {
            fmt::print("{} shape{} on {}{}\n", survey.cases.size(), survey.cases.size() == 1 ? "" : "s", what.device,
                       what.peer.empty() ? "" : ", beside " + what.peer + " (" + what.file + ")");
            context.device = what.device, context.peer = what.peer;
        },
        [&](const Outcome& outcome) {
            line.clear();
            outcomes.push_back(outcome);
            fmt::print("{:>4} {}\n", outcomes.size(), measure::line_of(outcome));
            std::fflush(stdout);
            if (outcomes.size() % at_a_time == 0 && asked.json != "-") keep();
        });
    line.clear();
    if (!opened.trouble.empty()) fail("--suite {}: {}", asked.suite, opened.trouble);
    keep();
    return outcomes;
}

}  // namespace

measure::Survey survey_of(const SurveyArguments& asked) {
    measure::Survey survey{.is_reproducible = asked.is_reproducible};
    survey.backend = &parse_device(asked.device);
    const bool is_cpu = survey.backend->name == std::string("cpu");
    if (!asked.peers.empty() && (is_cpu || asked.peers != "cublas"))
        refuse("--peers: a survey's peer is cublas on --device cuda, and whatever is found on cpu; got '{}'",
               asked.peers);
    survey.cases = cases_of(asked, survey.backend->place == Place::host);
    if (asked.with_peers && is_cpu) survey.peer = measure::SurveyPeer::libraries;
    else if (asked.with_peers && survey.backend->name == std::string("cuda")) survey.peer = measure::SurveyPeer::cublas;
    if (asked.with_peers && survey.peer == measure::SurveyPeer::none)
        fmt::print(stderr, "tw: warning: a survey has peers on cpu and cuda: {} has none\n", asked.device);
    survey.threads = asked.threads > 0 ? asked.threads : default_threads();
    return survey;
}

bool is_survey(const std::string& suite) { return suite == "survey" || suite == "decode"; }

void add_survey_options(const Verb& verb, SurveyArguments& asked) {
    verb.add_option("--seed", asked.seed, "For --suite survey: the seed that shapes are drawn by").shows_default();
    verb.add_option("--count", asked.count, "For --suite survey: how many shapes").shows_default().within(1, 100000);
    verb.add_option("--cases", asked.cases,
                    "For --suite survey: a file of shapes instead, in the words that its tables print");
    verb.add_option("--shard", asked.shard, "For --suite survey and decode: I/N, part I of N").shows_default();
    verb.add_option("--types", asked.types,
                    "For --suite survey and decode, a list: bf16, f16, f32, tf32, fp32_elementwise, f64, c64, c128");
    verb.add_option("--from", asked.from,
                    "Do not measure: make the table from surveys kept by --json; may be repeated");
}

void run_survey(const SurveyArguments& asked) {
    const bool has_baseline = !asked.baseline.empty();
    const std::vector<Outcome> before =
        has_baseline ? read_outcomes("--baseline", {asked.baseline}) : std::vector<Outcome>();
    const bool is_read = !asked.from.empty();
    const std::vector<Outcome> outcomes = is_read ? read_outcomes("--from", asked.from) : measured(asked);
    fmt::print("\n{}", measure::table_of(outcomes));
    if (has_baseline) fmt::print("\n{}", measure::text_of(measure::changes(outcomes, before)));
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was measured is kept");
    int wrong = 0;
    for (const Outcome& one : outcomes) wrong += one.is_wrong;
    if (wrong) throw Stop(Exit::wrong_result, fmt::format("{} of our results failed the judge", wrong));
}

}  // namespace tw::cli
