// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tw::measure {

struct CacheLevel {
    std::string name;       ///< "L1", "L2", "L3"
    std::size_t bytes = 0;  ///< of one instance
    int shared_by = 1;      ///< processors that share an instance
};

/// Data caches as the operating system lists them, innermost first; empty when it does not say.
std::vector<CacheLevel> cache_levels();

struct Bandwidth {
    std::string level;      ///< "L1", "L2", "L3", "memory"
    std::size_t bytes = 0;  ///< what was read over and over
    double gigabytes_per_second = 0;
    int threads = 1;
};

/// What one core reads from each level in about `seconds` a level, and from memory with all `threads` at once.
std::vector<Bandwidth> measure_bandwidths(double seconds, int threads);

/// Memory alone, one core: the calibration loop of a benchmark's round.
double measure_memory_bandwidth(double seconds);

}  // namespace tw::measure
