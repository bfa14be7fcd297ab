// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Two regimes, because the chip sits at its power limit. Sustained: each side runs 300 ms on end, in turns.
// Burst: ten launches after a second of rest. Medians, by the device's own clock.
#pragma once

#include <functional>
#include <vector>

namespace bench {

struct Timing {
    double sustained = 0, burst = 0;  ///< milliseconds of one launch
};

/// `turns` rounds; in each round every side runs for `milliseconds`. run(i) launches on the i-th set of operands.
std::vector<double> sustained(const std::vector<std::function<void(int)>>& sides, double milliseconds = 300,
                              int turns = 2);
double burst(const std::function<void(int)>& side);

}  // namespace bench
