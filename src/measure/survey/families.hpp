// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The families that the survey's shapes are drawn from; docs/survey.md describes them.
#pragma once

#include <span>

#include "measure/survey/case.hpp"
#include "reference/random.hpp"

namespace tw::measure {

/// How large a shape may be: larger ones are halved until they fit.
struct Limits {
    double bytes = 6e9;     ///< of all operands
    double operations = 1;  ///< as a share of the kind's most_operations
};
/// A host gets smaller shapes, as its bandwidth and its rate are far lower than a device's.
inline constexpr Limits device_limits{}, host_limits{.bytes = 3e8, .operations = 0.004};

struct Family {
    const char* name;
    int weight;  ///< percent of each kind's shapes
    Case (*draw)(reference::Random& random, const Kind& kind, const Limits& limits);
};

std::span<const Family> every_family() noexcept;

}  // namespace tw::measure
