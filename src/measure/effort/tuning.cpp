// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/effort/tuning.hpp"

#include <algorithm>

namespace tw::measure {

double byte_cost_of(std::span<const TimedBytes> points, const TimedBytes& dense) {
    constexpr double beyond = 1.01;  // puts an end of the curve clearly on its side
    const auto slower = std::find_if(points.begin(), points.end(),
                                     [&](const TimedBytes& point) { return point.seconds > dense.seconds; });
    if (slower == points.end()) return dense.bytes / (beyond * points.back().bytes);
    if (slower == points.begin()) return dense.bytes / slower->bytes * beyond;
    const TimedBytes& quicker = *(slower - 1);
    const double share = (dense.seconds - quicker.seconds) / (slower->seconds - quicker.seconds);
    return dense.bytes / (quicker.bytes + share * (slower->bytes - quicker.bytes));
}

}  // namespace tw::measure
