// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The outcome of running a kernel on the machine: findings, one for each kind and source line, and counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tw::metal_check {

enum class Kind {
    out_of_bounds,
    misaligned,
    write_to_const,
    unwritten,
    race,
    race_between_threadgroups,
    wrong_memory_flag,
    divergent_barrier,
    divergent_simd_call,
    copy_not_waited_for,
    copy_disagrees,
    over_a_limit,
};

constexpr const char* name_of(Kind kind) noexcept {
    switch (kind) {
        case Kind::out_of_bounds: return "out of bounds";
        case Kind::misaligned: return "misaligned";
        case Kind::write_to_const: return "write to const memory";
        case Kind::unwritten: return "read of unwritten threadgroup memory";
        case Kind::race: return "race";
        case Kind::race_between_threadgroups: return "race between threadgroups";
        case Kind::wrong_memory_flag: return "wrong memory flag";
        case Kind::divergent_barrier: return "divergent barrier";
        case Kind::divergent_simd_call: return "divergent SIMD-group call";
        case Kind::copy_not_waited_for: return "async copy not waited for";
        case Kind::copy_disagrees: return "lanes disagree on an async copy";
        case Kind::over_a_limit: return "over a limit";
    }
    return "?";
}

struct Finding {
    Kind kind = Kind::race;
    std::string site;         ///< "r3_tiled.metal:45"
    std::string text;         ///< the first case: thread, threadgroup, and its access
    std::uint64_t count = 0;  ///< number of cases
};

/// Counts over all threads; a barrier counts once for each threadgroup that passes it.
struct Counters {
    std::uint64_t device_loaded = 0, device_stored = 0;            ///< bytes
    std::uint64_t threadgroup_loaded = 0, threadgroup_stored = 0;  ///< bytes
    std::uint64_t barriers = 0, simdgroup_barriers = 0;
    std::uint64_t async_copies = 0;  ///< issued by a SIMD-group
    std::uint64_t flops = 0;
    std::uint64_t threads = 0, threadgroups = 0;

    friend bool operator==(const Counters&, const Counters&) = default;
    Counters& operator+=(const Counters& other) noexcept {
        device_loaded += other.device_loaded, device_stored += other.device_stored;
        threadgroup_loaded += other.threadgroup_loaded, threadgroup_stored += other.threadgroup_stored;
        barriers += other.barriers, simdgroup_barriers += other.simdgroup_barriers;
        async_copies += other.async_copies, flops += other.flops, threads += other.threads,
            threadgroups += other.threadgroups;
        return *this;
    }
};

struct Outcome {
    std::vector<Finding> findings;
    Counters counters;
    double seconds = 0;
};

}  // namespace tw::metal_check
