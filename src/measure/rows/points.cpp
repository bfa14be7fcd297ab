// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/points.hpp"

#include <map>
#include <string>

#include "measure/roofs/device_roofs.hpp"
#include "measure/roofs/peaks.hpp"
#include "plan/names.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

/// The bandwidth of a device's memory; 0 when it has no such roof.
double device_bandwidth(const std::string& device) {
    const Backend* backend = find_backend(device);
    if (!backend) return 0;
    const Roof* const roof = memory_roof(*backend);
    return roof ? rate_of(*roof, 0.05) : 0;
}

std::string roof_of(const Row& row, const Kernel& kernel) {
    if (row.device != "cpu") {
        const Backend* const backend = find_backend(row.device);
        const Roof* const roof = backend ? measure::roof_of(*backend, kernel) : nullptr;
        return roof ? measure::name_of(*roof) : row.device + "'s peak";
    }
    const ComputeLoop loop = loop_for(kernel.needs, name_of(kernel.in));
    return std::string(loop.unit) + " " + loop.type + ", " + std::to_string(row.threads) +
           (row.threads == 1 ? " thread" : " threads");
}

}  // namespace

std::vector<RooflinePoint> points_of(const std::vector<Row>& rows, const std::vector<Bandwidth>& bandwidths) {
    std::map<std::string, double> of_devices;
    std::vector<RooflinePoint> points;
    for (const Row& row : rows) {
        const auto [kernel, tile] = kernel_and_tile(row.kernel);
        if (!kernel || !row.is_timed() || row.fraction_of_unit_peak <= 0) continue;
        const Task task{.m = row.m, .n = row.n, .k = row.k, .type = kernel->in, .threads = row.threads};
        RooflinePoint point{.device = row.device, .kernel = row.kernel, .rung = row.rung};
        point.intensity = intensity_of(*kernel, tile, task);
        point.attained = row.gflops;
        point.peak = row.gflops / row.fraction_of_unit_peak;
        if (row.device != "cpu" && !of_devices.contains(row.device))
            of_devices[row.device] = device_bandwidth(row.device);
        const Level level = row.device == "cpu" ? level_of(task, bandwidths) : Level{"memory", of_devices[row.device]};
        point.level = level.name;
        point.bandwidth = level.gigabytes_per_second;
        point.roof = roof_of(row, *kernel);
        point.predicted = point.bandwidth > 0 ? attainable(point.peak, point.bandwidth, point.intensity) : point.peak;
        point.bound = what_bounds(point.predicted, point.attained, point.peak, point.level);
        points.push_back(std::move(point));
    }
    return points;
}

}  // namespace tw::measure
