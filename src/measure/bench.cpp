// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/bench.hpp"

#include <algorithm>

#include "base/cpu_features.hpp"
#include "measure/peers/entrant.hpp"
#include "measure/peers/mps.hpp"
#include "measure/roofs/bandwidth.hpp"
#include "measure/rows/run_roofs.hpp"
#include "measure/turns/many_products.hpp"
#include "plan/names.hpp"

namespace tw::measure {
namespace {

std::vector<std::shared_ptr<Entrant>> entrants_of(const Bench& asked, const Task& task,
                                                  const std::shared_ptr<Operands>& operands) {
    std::vector<std::shared_ptr<Entrant>> entrants;
    if (asked.kernels.empty())
        entrants.push_back(std::make_shared<OwnEntrant>(*asked.backend, nullptr, Tile{}, operands));
    if (asked.is_also_reproducible) {
        const auto own = std::make_shared<OwnEntrant>(*asked.backend, nullptr, Tile{}, operands);
        own->is_reproducible = true;
        own->mark = reproducible_mark;
        entrants.push_back(own);
    }
    if (asked.is_also_on_one_thread) {
        const auto own = std::make_shared<OwnEntrant>(*asked.backend, nullptr, Tile{}, operands);
        own->threads = 1;
        own->mark = one_thread_mark;
        entrants.push_back(own);
    }
    if (asked.callers > 0) {
        Task at_once = task;
        at_once.products = asked.callers;
        entrants.push_back(std::make_shared<RegionEntrant>(*asked.backend, std::make_shared<Operands>(at_once)));
    }
    const auto add_batches = [&](const Kernel* kernel) {
        for (const bool by_pointers : {false, true})
            if (task.products > 1)
                entrants.push_back(std::make_shared<BatchEntrant>(*asked.backend, kernel, operands, by_pointers));
    };
    if (asked.kernels.empty()) add_batches(nullptr);
    for (const Kernel* kernel : asked.backend->ladder) {
        const bool is_named = std::any_of(asked.kernels.begin(), asked.kernels.end(),
                                          [&](const std::string& name) { return answers_to(*kernel, name); });
        if (!is_named || !can_enter(*asked.backend, *kernel, task)) continue;
        entrants.push_back(std::make_shared<OwnEntrant>(
            *asked.backend, kernel, kernel->tiles.empty() ? Tile{} : kernel->tiles.front(), operands));
        add_batches(kernel);
    }
    for (const std::shared_ptr<PeerProcess>& peer : asked.peers)
        if (asked.backend->name == std::string(peer->description().device) && peer->is_usable(task.type))
            entrants.push_back(std::make_shared<PeerEntrant>(peer, task));
    if (asked.has_mps)
        if (auto mps = mps_entrant(*asked.backend, task, operands)) entrants.push_back(std::move(mps));
    return entrants;
}

void bench_shape(const Bench& asked, const Task& task, const Watch& watch, Run& run, bool records_roofs) {
    const auto operands = std::make_shared<Operands>(task);
    const auto entrants = entrants_of(asked, task, operands);
    RunRoofs roofs(*asked.backend, name_of(part_of(task.type)), task.threads);
    for (const auto& entrant : entrants) roofs.add(*entrant);
    const bool is_host = asked.backend->place == Place::host && !asked.backend->times_mean_nothing;
    if (is_host) {
        if (const auto matrix_unit = cpu_features() & (cpu_feature::amx_bf16 | cpu_feature::amx_int8))
            roofs.add(matrix_unit);
        roofs.calibrations().push_back({"memory, 1 core, GB/s", [] { return measure_memory_bandwidth(0); }, {}});
    }
    for (const Timing& timing :
         run_rounds(task, entrants, roofs.calibrations(), asked.budget, watch, asked.is_judged)) {
        roofs.add(*timing.entrant);
        run.rows.push_back(make_row(timing, task, roofs.peaks_for(*timing.entrant)));
    }
    if (records_roofs) roofs.record(run);
}

}  // namespace

void bench(const Bench& asked, const Watch& watch, Run& run, const std::function<void(const Run&)>& done) {
    for (std::size_t i = 0; i < asked.shapes.size() && !watch.is_interrupted(); ++i) {
        Task task = asked.task;
        task.m = asked.shapes[i].m;
        task.n = asked.shapes[i].n;
        task.k = asked.shapes[i].k;
        const Watch part{[&](const std::string& what, double share) {
                             watch.say(task.shape() + " " + what,
                                       (static_cast<double>(i) + share) / static_cast<double>(asked.shapes.size()));
                         },
                         watch.interrupted};
        bench_shape(asked, task, part, run, i + 1 == asked.shapes.size() || watch.is_interrupted());
        if (done) done(run);
    }
    run.interrupted = run.interrupted || watch.is_interrupted();
}

namespace {

/// The last of our rows with that mark; null when none is timed.
const Row* marked(const std::vector<Row>& rows, std::size_t first, std::string_view mark) {
    const Row* found = nullptr;
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider == "tilewright" && rows[i].is_timed() && mark_of(rows[i].kernel) == mark) found = &rows[i];
    return found;
}

/// What a row's products would take if its rate grew with the threads.
std::vector<double> seconds_on(const Row& row, int threads) {
    std::vector<double> seconds = row.seconds;
    for (double& one : seconds) one *= static_cast<double>(row.threads) / threads;
    return seconds;
}

}  // namespace

std::vector<Ways> against_ourselves(const std::vector<Row>& rows, std::size_t first) {
    const Row *plain = marked(rows, first, ""), *alone = marked(rows, first, one_thread_mark);
    std::vector<Ways> ways;
    if (const Row* own = marked(rows, first, reproducible_mark); own && plain)
        ways.push_back({own, plain, "reproducible against " + plain->kernel, compare(own->seconds, plain->seconds)});
    if (plain && alone)
        ways.push_back({plain, alone, std::to_string(plain->threads) + " threads against one",
                        compare(plain->seconds, alone->seconds)});
    if (!alone && plain && plain->threads == 1) alone = plain;
    if (const Row* own = marked(rows, first, region_mark); own && alone)
        ways.push_back({own, alone,
                        std::to_string(own->products) + " calls in an OpenMP region against " +
                            std::to_string(own->products) + " times the rate of one",
                        compare(own->seconds, seconds_on(*alone, static_cast<int>(own->products)))});
    for (const char* mark : {batch_mark, pointers_mark})
        if (const Row* own = marked(rows, first, mark); own && alone)
            ways.push_back({own, alone, std::string(mark + 1) + " against single products on as many threads",
                            compare(own->seconds, seconds_on(*alone, own->threads))});
    return ways;
}

Comparison against_best_peer(const std::vector<Row>& rows, std::size_t first, const Row** ours, const Row** theirs) {
    *ours = *theirs = nullptr;
    const auto take = [&](std::size_t i, const Row** best) {
        if (rows[i].is_timed() && (!*best || rows[i].gflops > (*best)->gflops)) *best = &rows[i];
    };
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider != "tilewright") take(i, theirs);
    const std::string_view mark = *theirs ? mark_of((*theirs)->kernel) : std::string_view{};
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider == "tilewright" && mark_of(rows[i].kernel) == mark) take(i, ours);
    return *ours && *theirs ? compare((*ours)->seconds, (*theirs)->seconds) : Comparison{};
}

}  // namespace tw::measure
