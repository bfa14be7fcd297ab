// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "measure/compare.hpp"
#include "measure/statistics.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

constexpr double hopeless = 1.5;  // times the rules' own time, at the first look
constexpr std::size_t most_finalists = 4;

struct Candidate {
    std::shared_ptr<OwnEntrant> entrant;
    const Kernel* kernel;
    Tile tile;
    int threads;
};

/// The rules' own choice, without any record.
Plan plan_by_rules(const Tuning& asked, const Task& task) {
    Plan plan;
    const Problem problem{.m = task.m, .n = task.n, .k = task.k, .in = task.type, .out = task.type, .place = asked.backend->place,
                          .accuracy = task.accuracy};
    if (!try_plan(problem, {.device = asked.backend->name, .threads = task.threads}, plan)) plan.kernel = nullptr;
    return plan;
}

std::set<int> thread_counts(int allowed) {
    std::set<int> counts{allowed};
    for (int threads = 1; threads < allowed; threads *= 2) counts.insert(threads);
    return counts;
}

std::vector<Candidate> candidates_of(const Tuning& asked, const Task& task, const Kernel& by_rules, const std::shared_ptr<Operands>& operands) {
    std::vector<Candidate> all;
    for (const Kernel* kernel : asked.backend->ladder) {
        const bool keeps = certificate(*kernel, task.k) <= promise(task.accuracy, task.type, task.k);
        if (!can_enter(*asked.backend, *kernel, task) || !keeps || kernel->order != by_rules.order) continue;
        for (const Tile& tile : kernel->tiles)
            for (const int threads : thread_counts(asked.backend->place == Place::host ? task.threads : 1))
                all.push_back({std::make_shared<OwnEntrant>(*asked.backend, kernel, tile, operands), kernel, tile, threads});
    }
    return all;
}

/// The quickest of a few looks: enough to drop who is far behind.
double first_look(const Candidate& candidate, Task task) {
    task.threads = candidate.threads;
    if (!candidate.entrant->judge(task).ok) return HUGE_VAL;
    double best = candidate.entrant->seconds(1);
    if (best > 0.2) return best;
    const int passes = std::max(1, static_cast<int>(0.002 / std::max(best, 1e-9)));
    for (int i = 0; i < 3; ++i) best = std::min(best, candidate.entrant->seconds(passes) / passes);
    return std::isnan(best) ? HUGE_VAL : best;
}

std::string named(const Candidate& candidate) {
    return fmt::format("{} {},{},{} x{}", candidate.kernel->name, candidate.tile.m, candidate.tile.n, candidate.tile.k, candidate.threads);
}

std::vector<double> time_in_turns(const std::vector<Candidate>& finalists, double seconds, std::size_t which,
                                  std::vector<std::vector<double>>& samples, const Watch& watch) {
    std::vector<int> passes;
    for (const Candidate& finalist : finalists) {
        const double each = finalist.entrant->seconds(1);
        passes.push_back(std::max(1, static_cast<int>(0.003 / std::max(each, 1e-9))));
    }
    samples.assign(finalists.size(), {});
    double spent = 0;
    for (std::size_t round = 0; (round < 7 || spent < seconds) && round < 40 && !watch.is_interrupted(); ++round)
        for (std::size_t turn = 0; turn < finalists.size(); ++turn) {
            const std::size_t i = (round + turn) % finalists.size();
            const double taken = finalists[i].entrant->seconds(passes[i]);
            samples[i].push_back(taken / passes[i]);
            spent += taken;
        }
    return samples[which];
}

TunedShape tune_one(const Tuning& asked, const Task& task, double seconds, const Watch& watch) {
    TunedShape found{.shape = {task.m, task.n, task.k}};
    const Plan by_rules = plan_by_rules(asked, task);
    if (!by_rules.kernel) return found;
    const auto operands = std::make_shared<Operands>(task);
    std::vector<Candidate> all = candidates_of(asked, task, *by_rules.kernel, operands);
    const int rules_threads = asked.backend->place == Place::host ? task.threads : 1;
    const auto is_rules = [&](const Candidate& c) {
        return c.kernel == by_rules.kernel && c.tile == by_rules.tile && c.threads == rules_threads;
    };
    std::vector<std::pair<double, Candidate>> looked;
    double rules_time = HUGE_VAL;
    std::stable_partition(all.begin(), all.end(), is_rules);
    for (const Candidate& candidate : all) {
        if (watch.is_interrupted()) return found;
        watch.say(named(candidate), 0);
        const double time = first_look(candidate, task);
        if (is_rules(candidate)) rules_time = time;
        if (time < hopeless * rules_time) looked.push_back({is_rules(candidate) ? 0 : time, candidate});
    }
    std::sort(looked.begin(), looked.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    if (looked.empty()) return found;
    std::vector<Candidate> finalists;
    for (const auto& [time, candidate] : looked)
        if (finalists.size() <= most_finalists) finalists.push_back(candidate);

    std::vector<std::vector<double>> samples;
    time_in_turns(finalists, seconds, 0, samples, watch);
    std::size_t best = 0;
    for (std::size_t i = 1; i < samples.size(); ++i)
        if (median(samples[i]) < median(samples[best])) best = i;
    found.by_rules = named(finalists[0]);
    found.best = named(finalists[best]);
    found.rules_gflops = task.flops() / median(samples[0]) * 1e-9;
    found.best_gflops = task.flops() / median(samples[best]) * 1e-9;
    found.is_better = best != 0 && compare(samples[best], samples[0]).verdict == Verdict::quicker;
    found.record = {.m = task.m, .n = task.n, .k = task.k, .in = task.type, .out = task.type, .accuracy = resolve(task.accuracy, task.type),
                    .allowed_threads = task.threads, .kernel = finalists[best].kernel->name, .tile = finalists[best].tile,
                    .threads = finalists[best].threads};
    return found;
}

}  // namespace

std::vector<TunedShape> tune(const Tuning& asked, const Watch& watch, const std::function<void(const TunedShape&)>& done) {
    std::vector<TunedShape> all;
    const double each = asked.seconds / static_cast<double>(std::max<std::size_t>(asked.shapes.size(), 1)) / 2;
    for (std::size_t i = 0; i < asked.shapes.size() && !watch.is_interrupted(); ++i) {
        Task task = asked.task;
        task.m = asked.shapes[i].m;
        task.n = asked.shapes[i].n;
        task.k = asked.shapes[i].k;
        const Watch part{[&](const std::string& what, double) {
                             watch.say(task.shape() + " " + what, static_cast<double>(i) / static_cast<double>(asked.shapes.size()));
                         },
                         watch.interrupted};
        TunedShape found = tune_one(asked, task, each, part);
        if (found.best.empty()) continue;
        if (done) done(found);
        all.push_back(std::move(found));
    }
    return all;
}

}  // namespace tw::measure
