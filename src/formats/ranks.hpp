// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cmath>

namespace tw::effort {

/// Sorts the positions 0..count-1 of a bucket's weights by |w|, the largest first, and the lower position first among
/// equals. Each position occurs once, even among zeros and padding.
inline void rank_by_size(const float* w, int count, int* order) noexcept {
    for (int position = 0; position < count; ++position) {
        int place = position;
        for (; place > 0 && std::fabs(w[order[place - 1]]) < std::fabs(w[position]); --place)
            order[place] = order[place - 1];
        order[place] = position;
    }
}

}  // namespace tw::effort
