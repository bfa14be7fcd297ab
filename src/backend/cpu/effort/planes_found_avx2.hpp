// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a chunk's rows of whole codes are, and those of the next one asked for, with AVX2. Everything here is inlined.
#pragma once

#include <immintrin.h>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu::found {

using planes::whole_chunk;

/// Finds a chunk's rows, four pointers at a time; without gaps they lie one below the other. Past the last entry they
/// are the last one's.
TW_INSIDE void find_rows(const WholeTileRows& tile, const EffortEntry* entries, int count, bool has_gaps,
                         EntryRows (&rows)[whole_chunk]) {
    if (count == 0) return;
    const auto first = [&](const EffortEntry& entry) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile.first + entry.units));
    };
    const auto step = [&](const EffortEntry& entry) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(tile.steps[entry.units]));
    };
    const auto at = [&](const EffortEntry& entry) {
        return _mm256_add_epi64(first(entry), _mm256_mul_epu32(_mm256_set1_epi64x(entry.input), step(entry)));
    };
    const auto set = [&](int e, __m256i to) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(rows + e), to); };
    __m256i next = at(entries[0]);
    const __m256i below = step(entries[0]);
    for (int e = 0; e < count; ++e) {
        if (has_gaps) next = at(entries[e]);
        set(e, next);
        next = _mm256_add_epi64(next, below);
    }
    for (int e = count; e < whole_chunk; ++e) rows[e] = rows[count - 1];
}

/// Entries whose rows are asked for while those before them are multiplied, half an entry at a time: Zen 3 drops what
/// is asked for while some 20 lines are on their way.
struct Following {
    const EntryRows *next, *end;
    bool has_c, is_half_done = false;

    template <int width>
    [[gnu::always_inline]] void ask() {
        if (next == end) return;
        constexpr std::int64_t half = 16 * width;
        if (!is_half_done) {
            ask_for(next->scales);
            ask_for(next->a), ask_for(next->a + half), ask_for(next->b), ask_for(next->b + half);
        } else if (has_c) {
            for (int q = 0; q < 4; ++q) ask_for(next->c + q * half);
        }
        next += is_half_done;
        is_half_done = !is_half_done;
    }
};

}  // namespace tw::cpu::found
