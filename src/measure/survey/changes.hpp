// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Compares two surveys of the same shapes.
#pragma once

#include <string>
#include <vector>

#include "measure/survey/survey.hpp"

namespace tw::measure {

/// One shape in both.
struct Change {
    const Outcome *now, *before;
    /// Our old time over our new one: above 1 we are faster than before.
    double ratio() const;
};

/// For the shapes that both have timed, the worst change first.
std::vector<Change> changes(const std::vector<Outcome>& now, const std::vector<Outcome>& before);

/// For each kind the geometric mean of the changes; then those beyond noise, the largest first.
std::string text_of(const std::vector<Change>& changes);

}  // namespace tw::measure
