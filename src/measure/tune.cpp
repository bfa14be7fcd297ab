// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "measure/basis/clock.hpp"
#include "measure/basis/statistics.hpp"
#include "measure/rows/compare.hpp"
#include "plan/registry.hpp"
#include "tilewright/plan.hpp"

namespace tw::measure {
namespace {

constexpr double hopeless = 1.5;  // times the rules' time, at the first timing
constexpr std::size_t most_finalists = 4, least_samples = 7, most_samples = 40;
constexpr double shortest_sample = 0.003;

struct Candidate {
    std::shared_ptr<OwnEntrant> entrant;
    const Kernel* kernel;
    Tile tile;
    int threads;
};

/// The rules' choice, without tuning.
Plan plan_by_rules(const Tuning& asked, const Task& task) {
    Plan plan;
    const Problem problem{.m = task.m,
                          .n = task.n,
                          .k = task.k,
                          .in = task.type,
                          .out = task.type,
                          .place = asked.backend->place,
                          .accuracy = task.accuracy};
    if (!try_plan(problem, {.device = asked.backend->name, .threads = task.threads}, plan)) plan.kernel = nullptr;
    return plan;
}

std::set<int> thread_counts(int allowed) {
    std::set<int> counts{allowed};
    for (int threads = 1; threads < allowed; threads *= 2) counts.insert(threads);
    return counts;
}

std::vector<Candidate> candidates_of(const Tuning& asked, const Task& task, const Kernel& by_rules,
                                     const std::shared_ptr<Operands>& operands) {
    std::vector<Candidate> all;
    for (const Kernel* kernel : asked.backend->ladder) {
        const bool keeps = certificate(*kernel, task.k) <= promise(task.accuracy, task.type, task.k);
        if (!can_enter(*asked.backend, *kernel, task) || !keeps || kernel->order != by_rules.order) continue;
        for (const Tile& tile : kernel->tiles)
            for (const int threads : thread_counts(asked.backend->place == Place::host ? task.threads : 1))
                all.push_back(
                    {std::make_shared<OwnEntrant>(*asked.backend, kernel, tile, operands), kernel, tile, threads});
    }
    return all;
}

std::string named(const Candidate& candidate) {
    const std::string tile =
        candidate.tile == Tile{} ? "" : fmt::format(" {},{},{}", candidate.tile.m, candidate.tile.n, candidate.tile.k);
    return fmt::format("{}{} x{}", candidate.kernel->name, tile, candidate.threads);
}

/// One problem and all candidates for it.
class Search {
public:
    Search(const Tuning& asked, const Task& task, const Watch& watch)
        : asked_(asked), task_(task), watch_(watch), clock_(clock_of(asked.backend->place, task.threads)) {}

    TunedShape run(double seconds);

private:
    double timed(const Candidate& candidate, int passes) const;
    double first_look(const Candidate& candidate) const;
    std::vector<Candidate> finalists(const Plan& by_rules, int& tried) const;
    std::vector<std::vector<double>> time_in_turns(const std::vector<Candidate>& those, double seconds) const;

    const Tuning& asked_;
    const Task& task_;
    const Watch& watch_;
    Clock clock_;
};

double Search::timed(const Candidate& candidate, int passes) const {
    const double start = clock_(), wall = candidate.entrant->seconds(passes);
    return std::isnan(wall) ? wall : clock_() - start;
}

/// The fastest of a few timings: enough to drop candidates that are far behind.
double Search::first_look(const Candidate& candidate) const {
    Task own = task_;
    own.threads = candidate.threads;
    if (!candidate.entrant->prepare(own)) return HUGE_VAL;
    double best = timed(candidate, 1);
    if (best > 0.2) return best;
    const int passes = std::max(1, static_cast<int>(0.002 / std::max(best, 1e-9)));
    for (int i = 0; i < 3; ++i) best = std::min(best, timed(candidate, passes) / passes);
    return std::isnan(best) ? HUGE_VAL : best;
}

/// The rules' choice first, then the fastest others; empty when the rules' choice can't run or time is up.
std::vector<Candidate> Search::finalists(const Plan& by_rules, int& tried) const {
    std::vector<Candidate> all = candidates_of(asked_, task_, *by_rules.kernel, std::make_shared<Operands>(task_));
    const int threads = asked_.backend->place == Place::host ? task_.threads : 1;
    const auto is_rules = [&](const Candidate& c) {
        return c.kernel == by_rules.kernel && c.tile == by_rules.tile && c.threads == threads;
    };
    std::stable_partition(all.begin(), all.end(), is_rules);
    if (all.empty() || !is_rules(all.front())) return {};
    std::vector<std::pair<double, Candidate>> looked;
    double limit = HUGE_VAL;
    for (const Candidate& candidate : all) {
        if (watch_.is_interrupted()) return {};
        watch_.say(named(candidate), 0);
        ++tried;
        const double time = first_look(candidate);
        if (looked.empty()) limit = hopeless * time;
        if (time < limit || looked.empty()) looked.push_back({looked.empty() ? 0 : time, candidate});
    }
    std::stable_sort(looked.begin(), looked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    std::vector<Candidate> chosen;
    for (const auto& [time, candidate] : looked)
        if (chosen.size() <= most_finalists) chosen.push_back(candidate);
    return chosen;
}

std::vector<std::vector<double>> Search::time_in_turns(const std::vector<Candidate>& those, double seconds) const {
    std::vector<int> passes;
    passes.reserve(those.size());
    for (const Candidate& one : those)
        passes.push_back(std::max(1, static_cast<int>(shortest_sample / std::max(timed(one, 1), 1e-9))));
    std::vector<std::vector<double>> samples(those.size());
    double spent = 0;
    for (std::size_t round = 0;
         (round < least_samples || spent < seconds) && round < most_samples && !watch_.is_interrupted(); ++round)
        for (std::size_t turn = 0; turn < those.size(); ++turn) {
            const std::size_t i = (round + turn) % those.size();
            const double taken = timed(those[i], passes[i]);
            samples[i].push_back(taken / passes[i]);
            spent += taken;
        }
    return samples;
}

std::vector<std::size_t> by_speed(const std::vector<std::vector<double>>& samples) {
    std::vector<std::size_t> order(samples.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return median(samples[x]) < median(samples[y]); });
    return order;
}

TunedShape Search::run(double seconds) {
    TunedShape found{.shape = {task_.m, task_.n, task_.k}};
    const Plan by_rules = plan_by_rules(asked_, task_);
    if (!by_rules.kernel) return found;
    const std::vector<Candidate> those = finalists(by_rules, found.tried);
    if (those.empty()) return found;
    const auto samples = time_in_turns(those, seconds / 2);
    const auto keeps_promise = [&](const Candidate& candidate) {
        Task own = task_;
        own.threads = candidate.threads;
        return candidate.entrant->judge(own).ok;
    };
    std::size_t best = 0;
    for (const std::size_t i : by_speed(samples))
        if (i == 0 || (!watch_.is_interrupted() && keeps_promise(those[i]))) {
            best = i;
            break;
        }
    found.by_rules = named(those[0]);
    found.best = named(those[best]);
    found.rules_gflops = found.best_gflops = task_.flops() / median(samples[0]) * 1e-9;
    found.record = {.m = task_.m,
                    .n = task_.n,
                    .k = task_.k,
                    .in = task_.type,
                    .out = task_.type,
                    .accuracy = resolve(task_.accuracy, task_.type),
                    .allowed_threads = task_.threads,
                    .kernel = those[best].kernel->name,
                    .tile = those[best].tile,
                    .threads = those[best].threads};
    if (best == 0) return found;
    const auto again = time_in_turns({those[0], those[best]}, seconds / 2);
    if (again[0].empty()) return found;
    found.rules_gflops = task_.flops() / median(again[0]) * 1e-9;
    found.best_gflops = task_.flops() / median(again[1]) * 1e-9;
    found.is_better = compare(again[1], again[0]).verdict == Verdict::quicker;
    return found;
}

}  // namespace

std::vector<TunedShape> tune(const Tuning& asked, const Watch& watch,
                             const std::function<void(const TunedShape&)>& done) {
    std::vector<TunedShape> all;
    const double each = asked.seconds / static_cast<double>(std::max<std::size_t>(asked.shapes.size(), 1));
    for (std::size_t i = 0; i < asked.shapes.size() && !watch.is_interrupted(); ++i) {
        Task task = asked.task;
        task.m = asked.shapes[i].m;
        task.n = asked.shapes[i].n;
        task.k = asked.shapes[i].k;
        const Watch part{[&](const std::string& what, double) {
                             watch.say(task.shape() + " " + what,
                                       static_cast<double>(i) / static_cast<double>(asked.shapes.size()));
                         },
                         watch.interrupted};
        TunedShape found = Search(asked, task, part).run(each);
        if (found.best.empty()) continue;
        if (done) done(found);
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace tw::measure
