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

    /// From `first` on; null asks for the bytes alone.
    SplitScratch(Parts parts, std::byte* first, std::int64_t m, std::int64_t n, std::int64_t k) noexcept {
        const auto pitch = parts_pitch(parts, k);
        const auto take = [&]<class T>(T*& place, std::int64_t count) {
            place = first ? reinterpret_cast<T*>(first + bytes) : nullptr;
            bytes += (static_cast<std::size_t>(count) * sizeof(T) + 127) / 128 * 128;
        };
        take(a_parts, m * pitch);
        take(b_parts, n * pitch);
        take(notes, m + n);
        take(counters, static_cast<std::int64_t>(LateRows::counters(m, n)));
        take(a_tallies, tallies_of(m, k));
        take(b_tallies, tallies_of(n, k));
    }
};

}  // namespace tw::cuda
