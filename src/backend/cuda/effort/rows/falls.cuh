// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How many units of an input of buckets or tiers are read, by a look into a table.
#pragma once

#include "backend/cuda/effort/choice/choice_ranked.cuh"

namespace tw::cuda::effort::of_rows {

/// How many units fall so many steps or fewer, and beside it whether one falls as many.
struct Falls {
    static constexpr unsigned is_one = 0x80;
    alignas(4) std::uint8_t upto[of_choice::bins];

    template <int threads, int units>
    __device__ void fill(const Work& w) {
        for (int four = static_cast<int>(threadIdx.x); four < of_choice::bins / 4; four += threads) {
            unsigned counts = 0, ones = 0;
#pragma unroll 4
            for (int u = 0; u < units; ++u) {
                const int first = static_cast<int>(w.m.falls[u]) - 4 * four;
                counts += first <= 0 ? 0x01010101u : first < 4 ? 0x01010101u << 8 * first : 0;
                ones |= first >= 0 && first < 4 ? is_one << 8 * first : 0;
            }
            reinterpret_cast<unsigned*>(upto)[four] = counts | ones;
        }
    }
    __device__ int before(int steps) const { return steps > 0 ? upto[steps - 1] % is_one : 0; }
};

/// How many units of an input are read; with the table, or one by one.
__device__ inline unsigned units_read(const Work& w, const of_choice::Cutoff& cutoff, const Falls* falls, unsigned key,
                                      int input) {
    const unsigned steps = (key - cutoff.least) >> of_choice::step;
    if (!cutoff.has_ties && key < cutoff.least) return 0;
    if (!cutoff.has_ties && steps < of_choice::bins && falls) return falls->upto[steps] % Falls::is_one;
    unsigned k = 0;
#pragma unroll 1
    for (int u = 0; u < w.m.units; ++u)
        k += of_choice::Row{lowered(w, key, u), of_choice::key_of(u, input)}.is_before(cutoff.row);
    return k;
}

}  // namespace tw::cuda::effort::of_rows
