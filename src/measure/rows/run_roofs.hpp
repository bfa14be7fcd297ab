// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofs of one run: the loops to time between the entrants, and the peaks that rows are compared with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

class RunRoofs {
public:
    static constexpr std::size_t none = ~std::size_t{0};

    /// Always has the FMA roof of the type.
    RunRoofs(const Backend& backend, const std::string& type, int threads);

    /// Adds the roof that the entrant stands under.
    void add(const Entrant& entrant) { add(entrant.needs, entrant.row); }

    /// Of a processor: the roof of kernels with these needs.
    void add(std::uint64_t needs) { add(needs, nullptr); }

    std::vector<Calibration>& calibrations() { return calibrations_; }

    /// From the medians of what was measured between the entrants.
    RowPeaks peaks_for(const Entrant& entrant) const;

    void record(Run& run) const;

private:
    void add(std::uint64_t needs, const Kernel* row);
    std::size_t roof_for(std::uint64_t needs, const Kernel* row);
    std::size_t device_roof(const Roof* roof);
    std::size_t index_of(Calibration made);
    double peak(std::size_t roof) const;

    const Backend& backend_;
    std::string type_;
    int threads_;
    std::size_t fma_ = none;
    std::vector<Calibration> calibrations_;
    struct Known {
        std::uint64_t needs;
        const Kernel* row;
        std::size_t roof;
    };
    std::vector<Known> known_;
};

}  // namespace tw::measure
