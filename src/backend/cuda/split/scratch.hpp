// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a split product keeps what it makes of its operands: A's parts, B's, the notes of all rows of A and then of B,
// the counters of late rows, and tallies of rows that are split across k. Each begins at a multiple of 128 bytes.
#pragma once

#include <cstddef>

#include "backend/cuda/split/split.hpp"

namespace tw::cuda {

struct SplitScratch {
    std::uint16_t *a_parts, *b_parts;
    int* notes;
    unsigned *counters, *a_tallies, *b_tallies;
    std::size_t bytes = 0;

    /// From `first` on; null asks for the bytes alone. Slabs of k have notes and tallies of their own.
    SplitScratch(Parts parts, std::byte* first, std::int64_t m, std::int64_t n, std::int64_t k,
                 int slabs = 1) noexcept {
        const std::int64_t length = k / slabs, pitch = slabs * parts_pitch(parts, length);
        const auto take = [&]<class T>(T*& place, std::int64_t count) {
            place = first ? reinterpret_cast<T*>(first + bytes) : nullptr;
            bytes += (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
        };
        take(a_parts, m * pitch);
        take(b_parts, n * pitch);
        take(notes, slabs * (m + n));
        take(counters, static_cast<std::int64_t>(LateRows::counters(m, n)));
        take(a_tallies, slabs * tallies_of(m, length));
        take(b_tallies, slabs * tallies_of(n, length));
    }
};

}  // namespace tw::cuda
