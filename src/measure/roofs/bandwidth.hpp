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

/// Data caches as the operating system lists them, innermost first; empty when it does not list any.
std::vector<CacheLevel> cache_levels();

/// The number of processors in a list as the operating system writes it: 5 for "0-3,8"; 1 where it names none.
int processors_in(const std::string& list);

struct Bandwidth {
    std::string level;      ///< "L1", "L2", "L3", "memory"
    std::size_t bytes = 0;  ///< size of the memory that was read again and again
    double gigabytes_per_second = 0;
    int threads = 1;
};

/// Measures what one core reads from each level, and all `threads` from memory, in about `seconds` each.
std::vector<Bandwidth> measure_bandwidths(double seconds, int threads);

/// Measures one core reading from memory: the calibration loop of a benchmark's round.
double measure_memory_bandwidth(double seconds);

}  // namespace tw::measure
