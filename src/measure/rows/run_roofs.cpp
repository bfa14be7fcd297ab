// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/run_roofs.hpp"

#include <algorithm>
#include <utility>

#include "measure/basis/statistics.hpp"
#include "measure/roofs/device_roofs.hpp"
#include "measure/roofs/peaks.hpp"

namespace tw::measure {
namespace {

constexpr double seconds_a_round = 0.003;
constexpr double seconds_of_device = 0.02;

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
    } else if (!backend.times_mean_nothing) {
        fma_ = device_roof(fma_roof(backend, type));
    }
}

std::size_t RunRoofs::index_of(Calibration made) {
    for (std::size_t i = 0; i < calibrations_.size(); ++i)
        if (calibrations_[i].name == made.name) return i;
    calibrations_.push_back(std::move(made));
    return calibrations_.size() - 1;
}

std::size_t RunRoofs::device_roof(const Roof* roof) {
    if (!roof || (!roof->measure && rate_of(*roof, 0) <= 0)) return none;
    Calibration made{name_of(*roof), [roof] { return rate_of(*roof, seconds_of_device); }, {}};
    // What multiply() will choose is known when the rounds are over: a formula's rate is there all the same.
    if (!roof->measure) made.values = {formula_of(*roof)};
    return index_of(std::move(made));
}

std::size_t RunRoofs::roof_for(std::uint64_t needs, const Kernel* row) {
    if (backend_.times_mean_nothing) return none;
    if (backend_.place != Place::host) return row ? device_roof(roof_of(backend_, *row)) : none;
    const ComputeLoop loop = loop_for(needs, type_);
    if (!loop.run) return none;
    return index_of({std::string(loop.unit) + " " + loop.type + ", 1 core",
                     [loop] { return measure_gflops(loop, seconds_a_round); },
                     {}});
}

void RunRoofs::add(std::uint64_t needs, const Kernel* row) {
    for (const Known& known : known_)
        if (known.needs == needs && known.row == row) return;
    known_.push_back({needs, row, roof_for(needs, row)});
}

double RunRoofs::peak(std::size_t roof) const {
    if (roof >= calibrations_.size() || calibrations_[roof].values.empty()) return 0;
    const double one = median(calibrations_[roof].values);
    return backend_.place == Place::host ? one * threads_ : one;
}

RowPeaks RunRoofs::peaks_for(const Entrant& entrant) const {
    RowPeaks peaks{.fma = peak(fma_)};
    for (const Known& known : known_)
        if (known.needs == entrant.needs && known.row == entrant.row) peaks.unit = peak(known.roof);
    return peaks;
}

void RunRoofs::record(Run& run) const {
    for (const Calibration& calibration : calibrations_)
        if (!calibration.values.empty())
            run.calibrations.push_back(
                {backend_.name, calibration.name, median(calibration.values), spread(calibration.values)});
}

}  // namespace tw::measure
