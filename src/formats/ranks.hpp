// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cmath>

namespace tw::effort {

/// The positions 0..count-1 of a bucket's weights, the largest by size first; of equals the lower position first. So
/// each position occurs once, whatever the weights are: zeros and padding can't push another out of its place.
inline void rank_by_size(const float* w, int count, int* order) noexcept {
    for (int position = 0; position < count; ++position) {
        int place = position;
        for (; place > 0 && std::fabs(w[order[place - 1]]) < std::fabs(w[position]); --place)
            order[place] = order[place - 1];
        order[place] = position;
    }
}

}  // namespace tw::effort
