// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The data caches of this machine, as the processor tells them, or else the system. What is cut by them decides speed
// alone, never the bits of a result.
#pragma once

#include <cstdint>

namespace tw {

/// 0 bytes: there is none, or nobody told.
struct Cache {
    std::int64_t bytes = 0;
    int ways = 0;       ///< lines that may share a set; 0: not told
    int shared_by = 1;  ///< hardware threads
};

struct Caches {
    Cache l1, l2, l3;

    /// Sets of L1, each of `ways` lines of 64 bytes.
    std::int64_t sets_of_l1() const noexcept { return l1.ways > 0 ? l1.bytes / (64 * l1.ways) : 0; }
};

/// One line of CPUID's table of caches, leaf 4 or 0x8000001d: eax, ebx and ecx.
struct CacheWords {
    std::uint32_t a, b, c;
};

/// Notes what the words say, unless it is no cache of data.
void note_cache(Caches& caches, const CacheWords& words) noexcept;

/// Asked once. Where nobody tells, 32 KiB, 512 KiB and no L3.
const Caches& caches() noexcept;

}  // namespace tw
