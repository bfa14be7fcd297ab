// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One block of k whose slabs (Options::slabs) a kernel sums itself, tile by tile, with all their sums in the first
// cache: what it does with a tile of C, one step a slab. And what other slabs gave, to be added in the same pass.
//
//   step      0      1          2      3              (4 slabs)
//   into      s0     s1         s0     C
//   plus             s0                s0, then s1
#pragma once

#include <cstdint>

namespace tw {
struct Matrix;
}

namespace tw::cpu {

struct SlabSteps {
    static constexpr int most_levels = 6, most = 1 << most_levels, into_c = -1;
    struct Step {
        std::int32_t length;  ///< of k, behind the step before
        std::int8_t into;     ///< the number of a buffer, or into_c
        std::uint8_t plus;    ///< a bit for each buffer whose sums are then added, the lowest number first
    };

    /// Above them: the call's k is so many pairs of nodes of one length, each of which has these steps. A cell of C
    /// takes them all, its sums in matrices of its own; a pair's second node is added to what the first one left. 0:
    /// one node.
    int pairs = 0;
    Step of_pairs[most / 2];  ///< as above, of matrices; their length is not used

    int nodes() const { return pairs > 0 ? 2 * pairs : 1; }
    int matrices() const { return levels(pairs); }
    static constexpr int levels(int count) { return count > 1 ? 1 + levels(count / 2) : 0; }

    const Matrix* addends = nullptr;  ///< as large as C and added to it after all, the first one first, each rounded
    int addend_count = 0;
    int count = 0;  ///< 0: k is whole, and may be several blocks
    Step steps[most];
};

}  // namespace tw::cpu
