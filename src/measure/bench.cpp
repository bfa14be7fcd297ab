// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/bench.hpp"

#include <algorithm>

#include "base/cpu_features.hpp"
#include "measure/bandwidth.hpp"
#include "measure/peer_mps.hpp"
#include "measure/roofs.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

std::vector<std::shared_ptr<Entrant>> entrants_of(const Bench& asked, const Task& task, const std::shared_ptr<Operands>& operands) {
    std::vector<std::shared_ptr<Entrant>> entrants;
    if (asked.kernels.empty()) entrants.push_back(std::make_shared<OwnEntrant>(*asked.backend, nullptr, Tile{}, operands));
    if (asked.is_also_reproducible) {
        const auto own = std::make_shared<OwnEntrant>(*asked.backend, nullptr, Tile{}, operands);
        own->is_reproducible = true;
        entrants.push_back(own);
    }
    for (const Kernel* kernel : asked.backend->ladder) {
        const bool is_named = std::any_of(asked.kernels.begin(), asked.kernels.end(),
                                          [&](const std::string& name) { return answers_to(*kernel, name); });
        if (is_named && can_enter(*asked.backend, *kernel, task))
            entrants.push_back(std::make_shared<OwnEntrant>(*asked.backend, kernel, kernel->tiles.empty() ? Tile{} : kernel->tiles.front(), operands));
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
    RunRoofs roofs(*asked.backend, name_of(task.type), task.threads);
    for (const auto& entrant : entrants) roofs.add(entrant->needs);
    const bool is_host = asked.backend->place == Place::host && !asked.backend->times_mean_nothing;
    if (is_host) {
        if (const auto matrix_unit = cpu_features() & (cpu_feature::amx_bf16 | cpu_feature::amx_int8)) roofs.add(matrix_unit);
        roofs.calibrations().push_back({"memory, 1 core, GB/s", [] { return measure_memory_bandwidth(0); }, {}});
    }
    for (const Timing& timing : run_rounds(task, entrants, roofs.calibrations(), asked.budget, watch, asked.is_judged)) {
        roofs.add(timing.entrant->needs);
        run.rows.push_back(make_row(timing, task, roofs.peaks_for(timing.entrant->needs)));
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
                             watch.say(task.shape() + " " + what, (static_cast<double>(i) + share) / static_cast<double>(asked.shapes.size()));
                         },
                         watch.interrupted};
        bench_shape(asked, task, part, run, i + 1 == asked.shapes.size() || watch.is_interrupted());
        if (done) done(run);
    }
    run.interrupted = run.interrupted || watch.is_interrupted();
}

Comparison against_ourselves(const std::vector<Row>& rows, std::size_t first, const Row** reproducible, const Row** free) {
    *reproducible = *free = nullptr;
    for (std::size_t i = first; i < rows.size(); ++i)
        if (rows[i].provider == "tilewright" && rows[i].is_timed()) (rows[i].kernel.ends_with(reproducible_mark) ? *reproducible : *free) = &rows[i];
    return *reproducible && *free ? compare((*reproducible)->seconds, (*free)->seconds) : Comparison{};
}

Comparison against_best_peer(const std::vector<Row>& rows, std::size_t first, const Row** ours, const Row** theirs) {
    *ours = *theirs = nullptr;
    for (std::size_t i = first; i < rows.size(); ++i) {
        const Row*& best = rows[i].provider == "tilewright" ? *ours : *theirs;
        if (rows[i].is_timed() && (!best || rows[i].gflops > best->gflops)) best = &rows[i];
    }
    return *ours && *theirs ? compare((*ours)->seconds, (*theirs)->seconds) : Comparison{};
}

}  // namespace tw::measure
