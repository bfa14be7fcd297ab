// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Loops that keep one unit of one core fully busy: their rate is the roof that kernels are compared with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::measure {

/// Arithmetic on registers. Independent chains hide the unit's latency; nothing is read from memory.
struct ComputeLoop {
    const char* unit;     ///< "FMA avx2": also the name in tables
    const char* type;     ///< what it multiplies: "f32", "f64", "bf16", "int8"
    std::uint64_t needs;  ///< bits of cpu_feature
    bool is_matrix_unit;
    int flops_per_instruction;           ///< both operations of each lane
    std::int64_t instructions;           ///< in one pass
    double (*run)(std::int64_t passes);  ///< returns a value so that the work is not optimised away
};

/// Reads `bytes` bytes (a multiple of 1024, aligned to 64) from front to back, `passes` times.
struct ReadLoop {
    const char* unit;
    std::uint64_t needs;
    double (*run)(const void* memory, std::size_t bytes, std::int64_t passes);
};

/// Plain data, because files with extra instruction sets must not define inline functions.
struct ComputeLoops {
    const ComputeLoop* first;
    int count;
};

ComputeLoops baseline_compute_loops();
ComputeLoops avx2_compute_loops();
ComputeLoops avx512_compute_loops();
ComputeLoops amx_compute_loops();

ReadLoop baseline_read_loop();
ReadLoop avx2_read_loop();
ReadLoop avx512_read_loop();

}  // namespace tw::measure
