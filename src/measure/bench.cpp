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

}  // namespace tw::measure
