// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/run_roofs.hpp"

#include <algorithm>

#include "measure/basis/statistics.hpp"
#include "measure/roofs/peaks.hpp"

namespace tw::measure {
namespace {

constexpr double seconds_a_round = 0.003;
constexpr double seconds_of_device = 0.02;

/// The device's roof for the needs; null when it has none.
const Roof* device_roof(const Backend& backend, std::uint64_t needs, const std::string& type) {
    const Roof* best = nullptr;
    for (const Roof& roof : backend.roofs) {
        if (std::string(roof.type) == "bytes") continue;
        const bool is_used = roof.needs == 0 ? type == roof.type : (roof.needs & needs) != 0;
        if (is_used) best = &roof;
    }
    return best;
}

}  // namespace

RunRoofs::RunRoofs(const Backend& backend, const std::string& type, int threads)
    : backend_(backend), type_(type), threads_(threads) {
    if (backend.place == Place::host && !backend.times_mean_nothing) {
        const ComputeLoop loop = fma_loop(type);
        if (loop.run)
            calibrations_.push_back({std::string(loop.unit) + " " + loop.type + ", 1 core",
                                     [loop] { return measure_gflops(loop, seconds_a_round); },
                                     {}});
        fma_ = loop.run ? 0 : none;
    } else {
        fma_ = roof_for(0);
    }
}

std::size_t RunRoofs::roof_for(std::uint64_t needs) {
    Calibration made;
    if (backend_.times_mean_nothing) return none;
    if (backend_.place == Place::host) {
        const ComputeLoop loop = loop_for(needs, type_);
        if (!loop.run) return none;
        made = {std::string(loop.unit) + " " + loop.type + ", 1 core",
                [loop] { return measure_gflops(loop, seconds_a_round); },
                {}};
    } else {
        const Roof* roof = device_roof(backend_, needs, type_);
        if (!roof || !roof->measure) return none;
        made = {std::string(roof->unit) + " " + roof->type, [roof] { return roof->measure(seconds_of_device); }, {}};
    }
    for (std::size_t i = 0; i < calibrations_.size(); ++i)
        if (calibrations_[i].name == made.name) return i;
    calibrations_.push_back(std::move(made));
    return calibrations_.size() - 1;
}

void RunRoofs::add(std::uint64_t needs) {
    const bool is_known =
        std::any_of(known_.begin(), known_.end(), [needs](const Known& k) { return k.needs == needs; });
    if (!is_known) known_.push_back({needs, roof_for(needs)});
}

double RunRoofs::peak(std::size_t roof) const {
    if (roof >= calibrations_.size() || calibrations_[roof].values.empty()) return 0;
    const double one = median(calibrations_[roof].values);
    return backend_.place == Place::host ? one * threads_ : one;
}

RowPeaks RunRoofs::peaks_for(std::uint64_t needs) const {
    RowPeaks peaks{.fma = peak(fma_)};
    for (const Known& known : known_)
        if (known.needs == needs) peaks.unit = peak(known.roof);
    return peaks;
}

void RunRoofs::record(Run& run) const {
    for (const Calibration& calibration : calibrations_)
        if (!calibration.values.empty())
            run.calibrations.push_back(
                {backend_.name, calibration.name, median(calibration.values), spread(calibration.values)});
}

}  // namespace tw::measure
