// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which of r7's tiles of 64 x 64 and more a product gets on Hopper, where k is short.
#pragma once

#include "backend/cuda/tiles/heuristics_sm90.hpp"

namespace tw::cuda {

/// C's rows begin at multiples of 16 bytes.
inline bool stores_by_16(const Call& call) {
    return call.c.col_step == 1 && call.c.row_step % 4 == 0 && c_of(call).address_bits() % 16 == 0;
}
/// C's rows are contiguous, and begin anywhere.
inline bool stores_words(const Call& call) { return call.c.col_step == 1 && !stores_by_16(call); }
/// One product whose B lies along k.
inline bool may_turn(const Call& call) { return !call.batch && call.b.row_step == 1 && stores_by_16(call); }

/// As r7_tile has it, but where tiles would share a multiprocessor. An H200, us by 64 x 64, 128 x 128, 128 x 256:
/// 10354 x 7564 x 80 NT 379, 394, 366; 4096 x 4096 x 128 NT 132, 129, 113; 6805 x 1282 x 41 NT 38.6, 40.5, 63.6 (C's
/// rows begin anywhere, as do those of 4398 x 4015 x 115 NN 132, 139, 194, and with a B that has copies of 16 bytes
/// 126, 131, 170).
constexpr sm90::R7 hierarchical_tile(const sm90::Sizes& s, bool by_16, bool turns, bool stores_words) {
    const sm90::R7 tile = sm90::r7_tile(s, by_16);
    if (stores_words && s.k <= 128) return sm90::R7::small;
    if (tile != sm90::R7::middle) return tile;
    if (turns && s.k >= 64 && sm90::r7_fills_wide(s)) return sm90::R7::wide;
    return s.k <= 64 ? sm90::R7::small : tile;
}

/// Of a short k C's way out is not hidden: 4096 x 4096 x 64 takes 69 us, 24 of them for that.
inline double writing_nanoseconds(const Problem& p) {
    return 4 * static_cast<double>(p.m * p.n) / (p.n % 4 == 0 ? 3000 : 2300);
}

/// Many tiles of a short k whose rows begin anywhere are copied 4 bytes at a time (6831 x 1056 x 81 NT: 64 us; but
/// 2834 x 5571 x 45 NN, where C's do, too, 56).
inline bool moves_words(const Problem& p, double waves) {
    return p.k <= 192 && p.k % 4 != 0 && p.n % 4 == 0 && waves >= 8;
}

}  // namespace tw::cuda
