// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw tune: finds the fastest kernel, tile and threads on this machine for the given problems, or with --machine how
// quick the machine itself is, and stores them.
#include "measure/tune.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/threads.hpp"
#include "cli/console/arguments.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/basis/machine.hpp"
#include "measure/roofs/calibrate.hpp"
#include "plan/pace_store.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    std::vector<std::string> shapes;
    std::string suite, type = "f32", accuracy = "auto", device = "cpu", store, markdown;
    double seconds = 60;
    int threads = 0;
    bool is_trial = false, is_machine = false;
};

std::vector<measure::Shape> shapes_of(const Arguments& asked) {
    std::vector<measure::Shape> shapes;
    for (const std::string& word : asked.shapes) {
        measure::Task task;
        parse_shape("--shape", word, task);
        check_memory(task);
        shapes.push_back({task.m, task.n, task.k});
    }
    if (shapes.empty() || !asked.suite.empty()) {
        const std::string name = asked.suite.empty() ? "square" : asked.suite;
        const auto more = measure::suite(name);
        if (more.empty()) refuse("--suite: expected square, skinny, small, ragged, llm or mixed; got '{}'", name);
        shapes.insert(shapes.end(), more.begin(), more.end());
    }
    return shapes;
}

/// The table, and how it was measured.
std::string page_of(const measure::Tuning& tuning, const std::vector<measure::TunedShape>& all) {
    const measure::Machine machine = measure::this_machine();
    const bool is_alone = tuning.backend->place == Place::host && tuning.task.threads == 1;
    return fmt::format(
               "# What tuning found\n\n{}, load {:.2f}; tilewright {}, {}. {}, {} thread{}, timed in turns by {}. "
               "The winner was checked by the judge and timed once "
               "more against the rules' choice: the ratio is of those samples.\n\n",
               machine.processor, machine.load[0], machine.version, machine.date.substr(0, 10),
               name_of(tuning.task.type), tuning.task.threads, tuning.task.threads == 1 ? "" : "s",
               is_alone ? "the thread's own processor time" : "the clock") +
           measure::tuned_in_markdown(all) + "\n" + measure::summary_of(all);
}

/// How quick the machine is, and what the rules make of it.
void run_machine(const Arguments& asked) {
    const std::string path = asked.store.empty() ? store_path() : asked.store;
    if (!asked.is_trial) check_store(path);
    const int threads = asked.threads > 0 ? asked.threads : default_threads();
    const Pace found = measure::calibrate(threads);
    fmt::print("{}", measure::text_of(found, threads));
    if (asked.is_trial) return;
    if (const std::string trouble = store_pace(path, found); !trouble.empty()) fail("{}", trouble);
    fmt::print("written to {}\n", path);
}

void run(const Arguments& asked) {
    if (asked.is_machine) return run_machine(asked);
    measure::Tuning tuning{.shapes = shapes_of(asked), .seconds = asked.seconds};
    tuning.task.type = parse_type("--type", asked.type);
    tuning.task.accuracy = parse_accuracy_word("--accuracy", asked.accuracy);
    tuning.task.threads = asked.threads > 0 ? asked.threads : default_threads();
    const std::string path = asked.store.empty() ? store_path() : asked.store;
    setenv("TW_STORE", "/dev/null", 1);  // so that the rules choose without tuning
    tuning.backend = &parse_timed_device(asked.device);
    check_place_for(asked.markdown);
    if (!asked.is_trial) check_store(path);
    note_interrupts();

    const std::string before = read_store(path, store_key()).trouble;
    if (!before.empty()) fmt::print(stderr, "tw: warning: {}\n", before);
    fmt::print("{:>18}  {:<46} {:>9}  {:<46} {:>9} {:>7}\n", "M x N x K", "by the rules", "GFLOP/s", "best found",
               "GFLOP/s", "gain");
    std::vector<Tuned> records;
    std::vector<measure::TunedShape> all;
    {
        ProgressLine line;
        all = measure::tune(tuning, watch_with(line), [&](const measure::TunedShape& found) {
            line.clear();
            const bool is_same = found.best == found.by_rules;
            fmt::print("{:>18}  {:<46} {:>9.2f}  {:<46} {:>9.2f} {:>6.2f}x{}\n",
                       fmt::format("{}x{}x{}", found.shape.m, found.shape.n, found.shape.k), found.by_rules,
                       found.rules_gflops, is_same ? "the same" : found.best, found.best_gflops, found.gain(),
                       is_same || found.is_better ? "" : "  noise");
            std::fflush(stdout);
            if (found.is_better) records.push_back(found.record);
        });
    }
    fmt::print("\n{}", measure::summary_of(all));
    if (!asked.markdown.empty()) write_file(asked.markdown, page_of(tuning, all));
    if (!records.empty() && !asked.is_trial) {
        const std::string trouble = add_to_store(path, store_key(), records);
        if (!trouble.empty()) fail("{}", trouble);
        fmt::print("{} record{} written to {}\n", records.size(), records.size() == 1 ? "" : "s", path);
    }
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; what was found is kept");
}

constexpr const char* examples = R"text(Examples:
  tw tune
  tw tune --suite llm --seconds 300
  tw tune --shape 1000x200x300 --shape 64 --threads 1
  tw tune --suite mixed --dry-run
  tw tune --machine)text";

}  // namespace

void add_tune(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb =
        tw.add_verb("tune", "Finds the fastest kernels, tiles and threads on this machine, and stores them");
    verb.add_option("--shape", asked->shapes, "MxNxK, or N for NxNxN; may be repeated");
    verb.add_option("--suite", asked->suite, "square, skinny, small, ragged, llm or mixed; default: square");
    verb.add_option("--type", asked->type, "f32, f64, c64 or c128").shows_default();
    verb.add_option("--accuracy", asked->accuracy, "The accuracy to keep").shows_default();
    verb.add_option("--device", asked->device, "cpu, cuda, ...").shows_default();
    verb.add_option("--threads", asked->threads, "0: as many as the library would use").within(0, most_threads);
    verb.add_option("--seconds", asked->seconds, "How long to measure all problems together")
        .shows_default()
        .within(0.1, 864000.0);
    verb.add_option("--store", asked->store, "The store to write, instead of TW_STORE or the one in the cache folder");
    verb.add_option("--markdown", asked->markdown, "Write the results here as a Markdown table; - is standard output");
    verb.add_flag("--machine", asked->is_machine,
                  "Measure how quick memory, arithmetic and the start of threads are instead, in less than a second");
    verb.add_flag("--dry-run", asked->is_trial, "Only show what is found; store nothing");
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
