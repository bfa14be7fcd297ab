// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/judging/session.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "measure/basis/clock.hpp"
#include "measure/judging/shrink.hpp"

namespace tw::judging {
namespace {

char note[128];  // what the handler says: a fault ends the process, and its seed must be known

void tell_seed(int signal) {
    static_cast<void>(!write(2, note, std::strlen(note)));
    std::signal(signal, SIG_DFL);
    raise(signal);
}

/// Faults tell the seed of the case that they came in.
class NoteOfFaults {
public:
    NoteOfFaults() {
        for (std::size_t s = 0; s < std::size(signals); ++s) before_[s] = std::signal(signals[s], tell_seed);
    }
    ~NoteOfFaults() {
        for (std::size_t s = 0; s < std::size(signals); ++s) std::signal(signals[s], before_[s]);
    }
    NoteOfFaults(const NoteOfFaults&) = delete;
    NoteOfFaults& operator=(const NoteOfFaults&) = delete;

    static void is_about(std::uint64_t seed) {
        std::snprintf(note, sizeof note, "\ntw: a fault in the case of tw judge --seed %llu --cases 1\n",
                      static_cast<unsigned long long>(seed));
    }

private:
    static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    void (*before_[std::size(signals)])(int);
};

}  // namespace

Session judge_cases(const Asked& asked) {
    Session session;
    const NoteOfFaults notes;
    const double start = measure::now();
    for (std::uint64_t seed = asked.seed; asked.cases == 0 || session.cases < asked.cases; ++seed) {
        const double by_time = (measure::now() - start) / asked.seconds;
        const double by_count =
            asked.cases > 0 ? static_cast<double>(session.cases) / static_cast<double>(asked.cases) : 0;
        if (by_time >= 1 || (asked.goes_on && !asked.goes_on(by_time > by_count ? by_time : by_count))) break;
        NoteOfFaults::is_about(seed);
        const Case one = draw(seed, asked.largest);
        const Outcome outcome = try_case(one, asked.where);
        ++session.cases, session.refused += outcome.refused, session.elements += outcome.elements;
        ++session.by_door[static_cast<std::size_t>(one.door)];
        if (outcome.failure.empty()) continue;
        session.failing_seed = seed, session.failure = outcome.failure, session.failed = one;
        session.plainest = shrink(one, [&](const Case& next) { return !try_case(next, asked.where).failure.empty(); });
        session.plainest_failure = try_case(session.plainest, asked.where).failure;
        break;
    }
    return session;
}

}  // namespace tw::judging
