// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What accuracy costs: times multiply() at each stop of the accuracy dial, on one product, with the kernel it chooses.
#pragma once

#include <vector>

#include "measure/rows/row.hpp"
#include "measure/turns/rounds.hpp"

namespace tw::measure {

struct Dial {
    const Backend* backend = nullptr;
    Task task{};
    Budget budget{};
};

/// fp32, fp32_elementwise, the formats below it by name, and two plain numbers.
std::vector<Accuracy> dial_stops();

/// Appends a row for each stop; its accuracy is what was asked for.
void turn_dial(const Dial& asked, const Watch& watch, Run& run);

}  // namespace tw::measure
