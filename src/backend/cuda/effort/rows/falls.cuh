// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A table that gives how many units of an input of buckets or tiers are read.
#pragma once

#include "backend/cuda/effort/choice/choice_ranked.cuh"

namespace tw::cuda::effort::row_kernels {

/// For each number of steps: how many units have at most that fall, and whether one has exactly that.
struct Falls {
    static constexpr unsigned is_one = 0x80;
    alignas(4) std::uint8_t upto[cutoff_search::bins];

    template <int threads, int units>
    __device__ void fill(const Params& w) {
        for (int four = static_cast<int>(threadIdx.x); four < cutoff_search::bins / 4; four += threads) {
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

/// How many units of an input are read, by the table or, without one, unit by unit.
__device__ inline unsigned units_read(const Params& w, const cutoff_search::Cutoff& cutoff, const Falls* falls,
                                      unsigned key, int input) {
    const unsigned steps = (key - cutoff.least) >> cutoff_search::step;
    if (!cutoff.has_ties && key < cutoff.least) return 0;
    if (!cutoff.has_ties && steps < cutoff_search::bins && falls) return falls->upto[steps] % Falls::is_one;
    unsigned k = 0;
#pragma unroll 1
    for (int u = 0; u < w.m.units; ++u)
        k += cutoff_search::Row{lowered(w, key, u), cutoff_search::key_of(u, input)}.is_before(cutoff.row);
    return k;
}

}  // namespace tw::cuda::effort::row_kernels
