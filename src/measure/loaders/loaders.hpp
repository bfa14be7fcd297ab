// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The seeds' microbenchmark: how many of a threadgroup's SIMD-groups (of a block's warps) should load a tile? On a
// Metal device, on metal-check, or on a CUDA device.
#pragma once

#include <string>
#include <vector>

#include "backend/contract.hpp"
#include "backend/metal/on_linux/machine/outcome.hpp"
#include "measure/turns/rounds.hpp"

namespace tw::measure {

/// One kernel with one number of loaders.
struct LoadersRow {
    std::string form;         ///< "loaders_async"
    bool from_cache = false;  ///< CUDA: all blocks' tiles stay in L2
    int loaders = 1;
    std::string trouble{};           ///< a sentence when it could not run, or brought wrong data
    bool is_wrong = false;           ///< the latter
    metal_check::Counters counts{};  ///< on metal-check, which has no times
    std::vector<double> seconds{};   ///< by the GPU's clock, one a round; sorted
    double median() const { return seconds.empty() ? 0 : seconds[seconds.size() / 2]; }
};

struct LoadersRun {
    int groups = 0;  ///< threadgroups, or blocks
    int fills = 1;   ///< how often each fills its memory
    std::vector<LoadersRow> rows{};
};

/// True for the backends that have the microbenchmark.
bool has_loaders(const Backend& backend) noexcept;

/// Every form with 1 to 8 loaders, in turns; on metal-check once each.
LoadersRun bench_loaders(const Backend& backend, const Watch& watch);

}  // namespace tw::measure
