// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Fragments of doubles on their way from shared memory to the matrix unit.
#pragma once

#include <cstdint>

#include "backend/cuda/tiles/dmma_shape.cuh"
#include "backend/cuda/tiles/doubles.cuh"

namespace tw::cuda {

/// A stage of both operands, of a group of warps.
template <class S, class L>
struct Stage {
    using A = Doubles<L::a_across, L::by_16, S::BM, S::BK, S::of_group, S::SWAPS>;
    using B = Doubles<L::b_across, L::by_16, S::BN, S::BK, S::of_group, S::SWAPS>;
    static constexpr int bytes = A::bytes + B::bytes;
};

/// What a warp multiplies, of a step of k and of the next. Rows come first, then columns in the order in which they are
/// multiplied. Those of a step stand in front of the products of the step before, among which the compiler puts them,
/// or one by one between these. fours: so many times 4 of k a step.
template <class S, int fours_>
struct Fragments {
    static constexpr int fours = fours_;
    static constexpr bool spreads = S::SPREADS && fours > 1;
    static constexpr int of_rows = S::WM / 16 * 2 * fours, reads = of_rows + S::WN / 8 * fours;
    double down[2][S::WM / 16][fours][2], across[2][S::WN / 8][fours];

    /// Of those of a step the q-th of so many turns.
    template <class Copies>
    __device__ void read(const Copies& copies, std::uint32_t a, std::uint32_t b, int to, int step, int q, int turns) {
#pragma unroll
        for (int i = 0; i < reads; ++i) {
            const int j = i - of_rows;
            if (i < reads * q / turns || i >= reads * (q + 1) / turns) continue;
            if (i < of_rows)
                down[to][i / (2 * fours)][i / 2 % fours][i % 2] =
                    copies.a.read(a, i / (2 * fours) * 16 + i % 2 * 8, step * fours + i / 2 % fours);
            else across[to][j / fours][j % fours] = copies.b.read(b, j / fours * 8, step * fours + j % fours);
        }
    }
};

}  // namespace tw::cuda
