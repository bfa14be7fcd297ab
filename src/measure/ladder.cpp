// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<std::shared_ptr<Entrant>> own_entrants(const Climb& asked, const std::shared_ptr<Operands>& operands) {
    std::vector<std::shared_ptr<Entrant>> entrants;
    for (const Kernel* kernel : asked.backend->ladder) {
        if (!is_wanted(*kernel, asked.rungs) || !can_enter(*asked.backend, *kernel, asked.task)) continue;
        for (const std::string& name : rows_of(*kernel, asked.rungs)) {
            const auto own = std::make_shared<OwnEntrant>(*asked.backend, kernel, kernel_and_tile(name).tile, operands);
            own->mark = name.substr(std::string_view(kernel->name).size());
            entrants.push_back(own);
        }
    }
    return entrants;
}

}  // namespace

std::vector<std::string> rows_of(const Kernel& kernel, const std::vector<std::string>& names) {
    if (kernel.rung != Rung::tiled) return {kernel.name};
    std::vector<std::string> rows;
    for (const Tile& tile : kernel.tiles) {
        const std::string side = std::to_string(tile.m);
        const auto means_it = [&](const std::string& name) {
            return name.starts_with("tile_") ? name == "tile_" + side : answers_to(kernel, name);
        };
        if (names.empty() || std::any_of(names.begin(), names.end(), means_it))
            rows.push_back(kernel.tiles.size() > 1 ? kernel.name + std::string(tile_mark) + side : kernel.name);
    }
    return rows;
}

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

    RunRoofs roofs(*asked.backend, name_of(part_of(task.type)), task.threads);
    for (const auto& entrant : entrants) roofs.add(*entrant);
    const std::vector<Timing> timings = run_rounds(task, entrants, roofs.calibrations(), asked.budget, watch);

    for (const Timing& timing : timings) {
        Row row = make_row(timing, task, roofs.peaks_for(*timing.entrant));
        if (const Kernel* kernel = kernel_and_tile(row.kernel).kernel) row.idea = kernel->idea;
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
        for (const BackendSource& source : backends())
            for (const Kernel* kernel : source().ladder)
                if (kernel->rung == rung)
                    text += fmt::format("| {} | `{}` | {} | {} |\n", stem_of(*kernel), kernel->name, kernel->idea,
                                        seed_names_of(*kernel));
    return text;
}

}  // namespace tw::measure
