// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/roofs/roofline.hpp"

#include "measure/roofs/bandwidth.hpp"

namespace tw::measure {

Tile read_once_for(const Kernel& kernel, const Tile& tile) {
    const std::string_view name = kernel.name ? kernel.name : "";
    if (name.empty() || name.starts_with("cpu")) return tile;
    if (kernel.rung == Rung::naive || kernel.rung == Rung::coalesced) return {1, 1, 1};
    if (kernel.rung == Rung::matrix_unit && name.starts_with("metal")) return {tile.m / 2, tile.n / 2, tile.k};
    return tile;
}

double intensity_of(const Kernel& kernel, const Tile& whole, const Task& task) {
    const Tile tile = read_once_for(kernel, whole);
    const auto side = [](int of_tile, std::int64_t of_problem) {
        return static_cast<double>(of_tile <= 0 ? of_problem : std::min<std::int64_t>(of_tile, of_problem));
    };
    return flops_per_byte(side(tile.m, task.m), side(tile.n, task.n), static_cast<double>(size_of(task.type)));
}

Occupancy occupancy(const CoreLimits& core, const GroupNeeds& group) {
    const auto fit = [&](int limit, int need) { return limit > 0 && need > 0 ? limit / need : core.groups; };
    Occupancy found{fit(core.threads, group.threads),
                    core.groups,
                    fit(core.registers, group.registers_per_thread * group.threads),
                    fit(core.shared_bytes, group.shared_bytes),
                    0,
                    0,
                    ""};
    const std::pair<int, const char*> limits[] = {{found.by_threads, "threads"},
                                                  {found.by_registers, "registers"},
                                                  {found.by_shared, "shared memory"},
                                                  {found.by_groups, "groups"}};
    const auto least = std::min_element(std::begin(limits), std::end(limits),
                                        [](const auto& x, const auto& y) { return x.first < y.first; });
    found.groups = least->first;
    found.limit = least->second;
    found.threads = found.groups * group.threads;
    return found;
}

std::string what_bounds(double predicted, double attained, double peak, const std::string& level) {
    const bool is_compute = predicted >= peak * 0.999;
    if (attained >= 0.5 * predicted) return is_compute ? "arithmetic" : "reading from " + level;
    return is_compute ? "neither roof: latency or overhead"
                      : "neither roof: latency, or whole lines read for single elements";
}

Level level_of(const Task& task, std::span<const Bandwidth> bandwidths) {
    const double needed = operand_bytes(task);
    Level found{"memory", 0};
    for (const Bandwidth& read : bandwidths) {
        if (read.level != "memory" && read.threads == 1 && needed <= 2 * static_cast<double>(read.bytes))
            return {read.level, read.gigabytes_per_second * task.threads};  // a cache of its own for each
        const bool is_of_all = read.threads > 1 && task.threads > 1;
        if (read.level == "memory" && (is_of_all || found.gigabytes_per_second == 0))
            found.gigabytes_per_second = read.gigabytes_per_second;
    }
    return found;
}

}  // namespace tw::measure
