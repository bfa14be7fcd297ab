// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/stretch.hpp"

#include <algorithm>
#include <cmath>

#include "measure/basis/clock.hpp"

namespace tw::measure {
namespace {

constexpr double worth_recording = 80e-6, most_recorded = 2e-3, most_for_rounds = 0.8;  // seconds
constexpr std::size_t rounds = 5, least_rounds = 3;
constexpr std::int64_t least_recorded = 20, most_at_once = 4096;

}  // namespace

Status Stretch::warm_up(double seconds) {
    if (const Status bad = run(0); !bad) return bad;
    if (const Status bad = run(0); !bad || each_ > seconds) return bad;
    return run(seconds);
}

Status Stretch::record() {
    const auto sets = static_cast<std::int64_t>(sets_.size());
    recorded_ = sets * ((least_recorded + sets - 1) / sets);
    next_ = 0;
    const Status done = queue_.record(
        [&] {
            for (std::int64_t i = 0; i < recorded_; ++i)
                if (const Status bad = side_.begin(sets_[static_cast<std::size_t>(i % sets)]); !bad) return bad;
            return Status{};
        },
        graph_);
    if (!done) graph_ = nullptr;
    return done;
}

bool Stretch::is_worth_recording() const { return each_ < worth_recording; }

Status Stretch::begin_some(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
        if (graph_) {
            if (const Status bad = queue_.replay(graph_); !bad) return bad;
            continue;
        }
        if (const Status bad = side_.begin(sets_[next_]); !bad) return bad;
        next_ = (next_ + 1) % sets_.size();
    }
    return {};
}

Status Stretch::run(double seconds) {
    const std::int64_t at_once = graph_ ? recorded_ : 1;
    const double one = each_ * static_cast<double>(at_once);
    const auto count =
        one > 0 ? std::clamp<std::int64_t>(std::llround(std::ceil(seconds / one)), 1, most_at_once) : std::int64_t{1};
    side_.make_ready();
    const double start = queue_.time();
    Status done = begin_some(count);
    if (done) done = queue_.wait();
    if (done) each_ = (queue_.time() - start) / static_cast<double>(count * at_once);
    side_.settle();
    return done;
}

Status Stretch::run_first(const Case& what) {
    if (graph_ && what.beta == 0) {
        if (const Status bad = queue_.replay(graph_); !bad) return bad;
    } else if (const Status bad = side_.begin(sets_.front()); !bad) {
        return bad;
    }
    const Status done = queue_.wait();
    side_.show(sets_.front());
    return done;
}

Status record_both(Stretch& ours, Stretch* theirs) {
    if (!ours.is_worth_recording() && !(theirs && theirs->is_worth_recording())) return {};
    Status status;
    for (Stretch* side : {&ours, theirs})
        if (status && side && !side->is_recorded() && side->each() < most_recorded) status = side->record();
    if (status) return {};
    ours.forget();
    if (theirs) theirs->forget();
    return status;
}

Status take_turns(Stretch& ours, Stretch* theirs, double turn, Turns& turns) {
    const double start = now();
    Stretch* const sides[] = {&ours, theirs};
    std::vector<double>* const kept[] = {&turns.ours, &turns.theirs};
    for (std::size_t round = 0; round < rounds; ++round) {
        if (round >= least_rounds && now() - start > most_for_rounds) break;
        for (std::size_t i = 0; i < 2; ++i) {
            const std::size_t who = (round + i) % 2;  // rounds begin with alternating sides
            if (!sides[who]) continue;
            if (const Status bad = sides[who]->run(turn); !bad) return bad;
            kept[who]->push_back(sides[who]->each());
        }
    }
    return {};
}

}  // namespace tw::measure
