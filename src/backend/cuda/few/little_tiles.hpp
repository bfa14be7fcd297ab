// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7's smallest tile, and when r7 takes it.
#pragma once

#include <algorithm>

#include "backend/cuda/tiles/heuristics_sm90.hpp"
#include "scheme/scheme.hpp"

namespace tw::cuda {

namespace little {

inline constexpr int side = 32;

constexpr std::int64_t busiest(const sm90::Sizes& s) {
    return (s.tiles(side, side) + s.multiprocessors - 1) / s.multiprocessors;
}

/// More of them read too much of L2: 349 x 1024 x 256 takes an H200 14.5 us so, and 12.1 by tiles of 64 x 64.
constexpr bool is_quicker(const sm90::Sizes& s) { return busiest(s) <= 2; }

/// What others are quicker at: of f32 rows are priced beside one another without C's way out.
inline bool is_of_tf32(const Problem& p) {
    constexpr double of_tf32 = 5e-4;  // fp32's promise for a k of 2048 is 1.2e-4
    return promise(p.accuracy, p.in, p.k) > of_tf32;
}

/// Few rows or columns are few_tiles_sliced's, and so is a longer k (1000 x 80 x 1000, 16 times: 99 us, r7 116), but a
/// short one is not (54 x 894 x 54 2.5 us, slices 3.1); tf32 is r9's, in batches, too.
inline bool is_chosen(const Problem& p) {
    const std::int64_t narrow = std::min(p.m, p.n);
    const bool is_narrow = narrow <= 16 || (narrow <= 32 && p.k > 64);
    return !is_narrow && (p.k <= 128 || std::max({p.m, p.n, p.k}) <= 512) && !is_of_tf32(p);
}

/// 208 cubed takes 4.6 us, 300 cubed 7.4, 384 cubed, of which multiprocessors have two, 12.8: there few_tiles_sliced's
/// slices of k are quicker.
inline double nanoseconds(const Problem& p, const sm90::Sizes& s) {
    if (!is_quicker(s) || !is_chosen(p)) return 1e300;
    const auto k = static_cast<double>(p.k);
    return busiest(s) == 1 ? 1200 + 18.5 * k : 2600 + 34 * k;
}

}  // namespace little

Status run_little_tiles(const Call& call) noexcept;

}  // namespace tw::cuda
