// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' microbenchmark of loading on a Metal device, or on the machine that executes its kernels: how many of a
// threadgroup's SIMD-groups should share the loading?
#pragma once

#include <string>
#include <vector>

#include "backend/contract.hpp"
#include "backend/metal/on_linux/outcome.hpp"
#include "measure/rounds.hpp"

namespace tw::measure {

/// One kernel with one number of loaders.
struct LoadersRow {
    std::string form;                     ///< "loaders_async"
    int loaders = 1;
    std::string trouble{};                ///< a sentence when it could not run, or brought wrong data
    bool is_wrong = false;                ///< the latter
    metal_check::Counters counts{};       ///< where times mean nothing
    std::vector<double> seconds{};        ///< of the GPU's clock, a value a round; sorted
    double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
};

struct LoadersRun {
    int threadgroups = 0;
    std::vector<LoadersRow> rows{};
};

/// True for the backends that run Metal kernels.
bool has_loaders(const Backend& backend) noexcept;

/// Every form with 1 to 8 loaders, in turns; where times mean nothing, once each.
LoadersRun bench_loaders(const Backend& backend, const Watch& watch);

}  // namespace tw::measure
