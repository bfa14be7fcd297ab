// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiles of 192 rows by three warpgroups. What a tile's step takes of shared memory, that TMA writes and the unit reads,
// is as long as the unit's time or longer; three warpgroups read B's rows more often, but for more of them:
//
//    64 x N of each     shared memory, rows of 128 bytes     the unit, cycles
//    two                2 (64 + N) + 128 + N                 4 N          N = 128: 640 and 512, as measured
//    three              3 (64 + N) + 192 + N                 6 N          N = 192: 1152 and 1152
//
// So a multiprocessor has a square of 192 at the unit's pace, of which 121 are 2064 x 2064: one wave. Registers are
// shared evenly, 152 to a thread, and the end is finish_plainly.
#pragma once

#include "backend/cuda/async/by_majors.cuh"
#include "backend/cuda/async/tall.hpp"
#include "backend/cuda/async/tiles.cuh"

namespace tw::cuda {

template <int WIDTH_, ptx::Major b_major>
struct TallShape {
    static constexpr int BM = 192, WIDTH = WIDTH_, CLUSTER = 1, blocks = 1, consumers = BM / 64;
    static constexpr bool plain = true, by_box = false, moves_registers = false;
    static constexpr int BN = b_major == ptx::Major::k ? WIDTH : (WIDTH + 63) / 64 * 64;
    static constexpr int old_barriers = 0, staging = 0, threads = 128 * consumers + 32;
    template <class T>
    static constexpr bool old_by_box = false;
    template <class T>
    static constexpr bool reads_old = false;
    template <class T>
    static constexpr bool cuts = WIDTH < 192;  ///< wider ones have no registers left for it
    template <class T>
    static constexpr bool adds_by_pairs = false;
    using Ring = Pipeline<BM, BN, sm90::r9_stages(BM + BN, staging, blocks), CLUSTER, staging>;
};

template <class T>
Status run_tall(const Job& job) {
    return by_majors<T>(job, [&](auto a, auto b) {
        constexpr auto of_a = decltype(a)::value, of_b = decltype(b)::value;
        constexpr auto all = sm90::r9_tall(of_a == ptx::Major::other, of_b == ptx::Major::other);
        return by_width<all>(job.tile.n, [&](auto width) -> Status {
            return start_tiles<TallShape<decltype(width)::value, of_b>, T, of_a, of_b>(job);
        });
    });
}

}  // namespace tw::cuda
