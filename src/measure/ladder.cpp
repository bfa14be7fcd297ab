// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "measure/peers/entrant.hpp"
#include "measure/peers/mps.hpp"
#include "measure/rows/run_roofs.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

bool is_wanted(const Kernel& kernel, const std::vector<std::string>& names) {
    return names.empty() ||
           std::any_of(names.begin(), names.end(), [&](const std::string& name) { return answers_to(kernel, name); });
}

std::map<std::string, const char*> ideas_of(const Backend& backend) {
    std::map<std::string, const char*> ideas;
    for (const Kernel* kernel : backend.ladder) ideas[kernel->name] = kernel->idea;
    return ideas;
}

/// Each tile of a kernel is a row: the seeds' tile_16 and tile_32 are one rung.
std::vector<std::shared_ptr<Entrant>> own_entrants(const Climb& asked, const std::shared_ptr<Operands>& operands) {
    std::vector<std::shared_ptr<Entrant>> entrants;
    for (const Kernel* kernel : asked.backend->ladder) {
        if (!is_wanted(*kernel, asked.rungs) || !can_enter(*asked.backend, *kernel, asked.task)) continue;
        const Tile tile = kernel->tiles.empty() ? Tile{} : kernel->tiles.front();
        entrants.push_back(std::make_shared<OwnEntrant>(*asked.backend, kernel, tile, operands));
    }
    return entrants;
}

}  // namespace

std::int64_t usual_size(const Backend& backend) {
    if (backend.times_mean_nothing) return 64;
    return backend.place == Place::host ? 1024 : 4096;
}

void climb(const Climb& asked, const Watch& watch, Run& run) {
    const Task& task = asked.task;
    watch.say("making the operands", 0);
    const auto operands = std::make_shared<Operands>(task);
    std::vector<std::shared_ptr<Entrant>> entrants = own_entrants(asked, operands);
    for (const std::shared_ptr<PeerProcess>& peer : asked.peers)
        if (asked.backend->name == std::string(peer->description().device) && peer->is_usable(task.type))
            entrants.push_back(std::make_shared<PeerEntrant>(peer, task));
    if (asked.has_mps)
        if (auto mps = mps_entrant(*asked.backend, task, operands)) entrants.push_back(std::move(mps));

    RunRoofs roofs(*asked.backend, name_of(task.type), task.threads);
    for (const auto& entrant : entrants) roofs.add(entrant->needs);
    const std::vector<Timing> timings = run_rounds(task, entrants, roofs.calibrations(), asked.budget, watch);

    auto ideas = ideas_of(*asked.backend);
    for (const Timing& timing : timings) {
        Row row = make_row(timing, task, roofs.peaks_for(timing.entrant->needs));
        if (const auto idea = ideas.find(row.kernel); idea != ideas.end()) row.idea = idea->second;
        run.rows.push_back(std::move(row));
    }
    roofs.record(run);
    run.interrupted = run.interrupted || watch.is_interrupted();
}

std::string ladder_in_markdown() {
    std::string text = "| rung | kernel | the idea | in the seeds |\n|---|---|---|---|\n";
    std::vector<Rung> order;
    for (int rung = static_cast<int>(Rung::naive); rung <= static_cast<int>(Rung::split); ++rung)
        order.push_back(static_cast<Rung>(rung));
    order.push_back(Rung::none);
    for (const Rung rung : order)
        for (const BackendSource source : backends())
            for (const Kernel* kernel : source().ladder)
                if (kernel->rung == rung)
                    text += fmt::format("| {} | `{}` | {} | {} |\n", stem_of(*kernel), kernel->name, kernel->idea,
                                        seed_names_of(*kernel));
    return text;
}

}  // namespace tw::measure
