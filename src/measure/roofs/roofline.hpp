// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The roofline's arithmetic: flops for each byte of a tile, the speed that a roof allows, and occupancy of a GPU's
// core.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "backend/contract.hpp"
#include "measure/basis/operands.hpp"

namespace tw::measure {

/// A BM x BN block of C reads BM + BN elements for each step of k and does 2 BM BN flops with them. One result at a
/// time is a 1 x 1 tile: 2 flops for 8 bytes in f32, 0.25. A 16 x 16 tile has 4, not 8: both A's and B's tile are read.
constexpr double flops_per_byte(double block_m, double block_n, double element_bytes) {
    return 2 * block_m * block_n / ((block_m + block_n) * element_bytes);
}

/// min(peak, bandwidth x intensity): GFLOP/s for GB/s.
constexpr double attainable(double peak_gflops, double bandwidth, double intensity) {
    return std::min(peak_gflops, bandwidth * intensity);
}

/// The block of C that a kernel reads each operand once for. That is its tile, but on a GPU a block of r1 and r2 is a
/// shape of threads that share nothing, and of Metal's r8 each SIMD-group reads for its own quarter.
Tile read_once_for(const Kernel& kernel, const Tile& tile);

/// What a kernel reads of its operands by its own count: its outermost block that is read for at once.
/// A tile of {0, 0, 0} or a side beyond the problem means the problem's own side.
double intensity_of(const Kernel& kernel, const Tile& tile, const Task& task);

/// The limits of a GPU's core.
struct CoreLimits {
    std::string name;
    int threads, groups, registers, shared_bytes;
};

/// What a group of threads (a block, a threadgroup) needs.
struct GroupNeeds {
    int threads, registers_per_thread, shared_bytes;
};

struct Occupancy {
    int by_threads, by_groups, by_registers,
        by_shared;      ///< groups that each limit allows; by_groups where a limit is not given
    int groups;         ///< the least of them
    int threads;        ///< resident
    std::string limit;  ///< the name of the least
};

Occupancy occupancy(const CoreLimits& core, const GroupNeeds& group);

/// A point below the roofs.
struct RooflinePoint {
    std::string device{}, kernel{}, rung{}, bound{}, level{};
    std::string roof{};  ///< whose peak it is: "FMA avx2 f32, 2 threads"
    double intensity = 0, predicted = 0, attained = 0;
    double peak = 0, bandwidth = 0;
};

/// "the arithmetic of FMA avx2", "reading from L3", or that neither roof explains the speed.
std::string what_bounds(double predicted, double attained, double peak, const std::string& level);

/// The innermost level that holds all three operands, and its bandwidth.
struct Level {
    std::string name;
    double gigabytes_per_second;
};
struct Bandwidth;
Level level_of(const Task& task, std::span<const Bandwidth> bandwidths);

}  // namespace tw::measure
