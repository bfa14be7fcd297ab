// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw judge: random products against the reference, until the time is over or one is wrong.
#include <algorithm>
#include <memory>

#include "backend/contract.hpp"
#include "cli/console/devices.hpp"
#include "cli/console/terminal.hpp"
#include "cli/ending/exit.hpp"
#include "cli/verbs/verbs.hpp"
#include "measure/judging/session.hpp"

namespace tw::cli {
namespace {

struct Arguments {
    double seconds = 60;
    std::uint64_t seed = 1;
    std::int64_t cases = 0, largest = 0;
    std::string device = "cpu";
};

void print(const judging::Session& session) {
    fmt::print("{} cases, {} refused, {} elements, each case done twice\n", session.cases, session.refused,
               session.elements);
    for (const judging::Door door : {judging::Door::call, judging::Door::plan, judging::Door::packed_a,
                                     judging::Door::packed_b, judging::Door::batch})
        fmt::print("  {:<9} {:>9}\n", judging::name_of(door), session.by_door[static_cast<std::size_t>(door)]);
}

void run(const Arguments& asked) {
    if (asked.cases < 0) refuse("--cases: expected a whole number from 0 on; got {}", asked.cases);
    if (asked.largest < 0) refuse("--largest: expected a whole number from 0 on; got {}", asked.largest);
    parse_device(asked.device);  // refuses one that is not there
    note_interrupts();
    judging::Asked all{.seed = asked.seed, .seconds = asked.seconds, .cases = asked.cases, .largest = asked.largest};
    all.where.device = asked.device;
    judging::Session session;
    {
        ProgressLine line;
        all.goes_on = [&](double done) {
            line.show("judge", std::min(1.0, done));
            return !is_interrupted();
        };
        session = judging::judge_cases(all);
    }
    print(session);
    if (!session.failure.empty()) {
        std::string options = asked.device == "cpu" ? "" : " --device " + asked.device;
        if (asked.largest > 0) options += fmt::format(" --largest {}", asked.largest);
        throw Stop(Exit::wrong_result, fmt::format("wrong: {}\n  {}\nthe plainest that fails: {}\n  {}\n"
                                                   "tw judge --seed {} --cases 1{} does it again",
                                                   spelled(session.failed), session.failure, spelled(session.plainest),
                                                   session.plainest_failure, session.failing_seed, options));
    }
    if (is_interrupted()) throw Stop(Exit::interrupted, "interrupted; nothing was wrong until then");
    fmt::print("nothing is wrong\n");
}

constexpr const char* examples = R"text(Examples:
  tw judge
  tw judge --seconds 600 --seed 20260101
  tw judge --device cpu-check --seconds 10

Shapes, steps (negative, zero, with holes of NaN between guard pages), types, conjugates, values, alpha and beta,
accuracies, slabs, plans, packed operands, batches, epilogues, threads, executors and floating-point modes are drawn by
the seed. Each result must lie within its certificate, and have the same bits once more with other threads at other
addresses. A case that fails is shrunk to the plainest one that still fails.
)text";

}  // namespace

void add_judge(Verb tw) {
    const auto asked = std::make_shared<Arguments>();
    const Verb verb = tw.add_verb("judge", "Judges random products against the reference, and shrinks what fails");
    verb.add_option("--seconds", asked->seconds, "How long to judge").shows_default().within(0.1, 864000.0);
    verb.add_option("--seed", asked->seed, "Seed of the first case; each next one has 1 more").shows_default();
    verb.add_option("--cases", asked->cases, "How many cases at most; 0: as many as there is time for").shows_default();
    verb.add_option("--largest", asked->largest, "No extent is longer, so that more cases are done; 0: up to 30000")
        .shows_default();
    verb.add_option("--device", asked->device, "cpu, cpu-check, cuda, ...").shows_default();
    verb.ends_help_with(examples);
    verb.runs([asked] { run(*asked); });
}

}  // namespace tw::cli
