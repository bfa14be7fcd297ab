// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/turns/rounds.hpp"

#include <algorithm>
#include <cmath>

#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"

namespace tw::measure {
namespace {

constexpr double shortest_sample = 0.003;  // seconds: far above the clock's resolution and the time to wake a thread
constexpr double short_enough_for_three = 0.5;
constexpr double long_enough_to_keep =
    1.0;  // a first run this long is no longer warm-up: loading, compiling, page faults
constexpr int most_passes = 1 << 20;
constexpr double rounding = 1e-6;  // of shares of samples, so that equal shares compare as equal

/// How many samples an entrant may take: its share of the budget over the time of one.
int samples_allowed(double seconds_each, double share, const Budget& budget) {
    const double fit = share / std::max(seconds_each, 1e-9), least = seconds_each < short_enough_for_three ? 3 : 1;
    return static_cast<int>(std::clamp(fit, least, std::max(least, static_cast<double>(budget.most_samples))));
}

/// Warms up and finds how many products make one sample; returns the seconds of a sample. For a very slow product the
/// warm-up itself is kept as a sample.
double warm_up(Timing& timing, double share) {
    Entrant& entrant = *timing.entrant;
    if (timing.judgement.seconds > std::max(share, long_enough_to_keep)) {  // a second run would take too long
        timing.seconds.push_back(timing.judgement.seconds);
        return timing.judgement.seconds;
    }
    double each = entrant.seconds(1);
    if (std::isnan(each)) {
        timing.failed = true;
        return 0;
    }
    if (each > share / 3) {
        timing.seconds.push_back(each);
        return each;
    }
    each = std::min(each, entrant.seconds(1));
    timing.passes =
        static_cast<int>(std::clamp(std::ceil(shortest_sample / std::max(each, 1e-9)), 1.0, double{most_passes}));
    if (timing.passes > 1) each = entrant.seconds(timing.passes) / timing.passes;
    return each * timing.passes;
}

bool is_precise(const Timing& timing, double relative_error) {
    if (!interval_is_95(timing.seconds.size())) return false;
    const double middle = median(timing.seconds);
    const Interval interval = median_interval(timing.seconds);
    return interval.high - middle <= relative_error * middle && middle - interval.low <= relative_error * middle;
}

/// The share of their samples that the remaining entrants have taken, at least: one of them always has no more than
/// that, so every round makes progress.
double share_done(const std::vector<Timing>& timings, const std::vector<int>& allowed, const std::vector<char>& is_in) {
    double taken = 0, wanted = 0;
    for (std::size_t i = 0; i < timings.size(); ++i) {
        if (!is_in[i]) continue;
        taken += static_cast<double>(timings[i].seconds.size());
        wanted += allowed[i];
    }
    return wanted > 0 ? taken / wanted : 1;
}

class Turn {
public:
    explicit Turn(Entrant& entrant) : entrant_(entrant) { entrant_.begin_turn(); }
    ~Turn() { entrant_.end_turn(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    Entrant& entrant_;
};

}  // namespace

std::vector<Timing> run_rounds(const Task& task, const std::vector<std::shared_ptr<Entrant>>& entrants,
                               std::vector<Calibration>& calibrations, const Budget& budget, const Watch& watch,
                               bool judged) {
    std::vector<Timing> timings;
    const double share = budget.seconds / static_cast<double>(std::max<std::size_t>(entrants.size(), 1));
    std::vector<int> allowed;
    for (const auto& entrant : entrants) {
        if (watch.is_interrupted()) break;
        watch.say(
            (judged ? "judging " : "warming up ") + (entrant->kernel.empty() ? entrant->provider : entrant->kernel), 0);
        const Turn turn(*entrant);
        Timing timing{.entrant = entrant};
        timing.judgement = entrant->judge(task);
        timing.failed = judged ? !timing.judgement.ok : false;
        const double sample = timing.failed || entrant->times_mean_nothing ? 0 : warm_up(timing, share);
        allowed.push_back(entrant->times_mean_nothing || timing.failed ? 0 : samples_allowed(sample, share, budget));
        timings.push_back(std::move(timing));
    }

    const double start = now();
    std::size_t round = 0;
    std::vector<char> is_in(timings.size(), 1);
    const auto is_done = [&](std::size_t i) {
        const auto taken = static_cast<int>(timings[i].seconds.size());
        return timings[i].failed || taken >= allowed[i] ||
               (now() - start > budget.seconds && taken >= budget.least_samples) ||
               (budget.relative_error > 0 && is_precise(timings[i], budget.relative_error));
    };
    do {
        for (std::size_t turn = 0; turn < timings.size() && !watch.is_interrupted(); ++turn) {
            const std::size_t i = (round + turn) % timings.size();
            Timing& timing = timings[i];
            if (is_in[i] && is_done(i)) is_in[i] = 0;
            if (!is_in[i]) continue;
            // The samples of an entrant with few are spread over all rounds.
            const double done = share_done(timings, allowed, is_in);
            if (static_cast<double>(timing.seconds.size()) > done * allowed[i] + rounding) continue;
            watch.say(timing.entrant->kernel, std::max(done, std::min(1.0, (now() - start) / budget.seconds)));
            const Turn awake(*timing.entrant);
            const double each = timing.entrant->seconds(timing.passes) / timing.passes;
            if (std::isnan(each)) timing.failed = true, timing.judgement.trouble = "it fails while it is timed";
            else timing.seconds.push_back(each);
        }
        for (Calibration& calibration : calibrations) calibration.values.push_back(calibration.measure());
        ++round;
    } while (std::count(is_in.begin(), is_in.end(), 1) > 0 && !watch.is_interrupted());
    return timings;
}

}  // namespace tw::measure
