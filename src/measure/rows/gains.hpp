// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <span>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

/// What each row of a device's climb gained, a thread of it, over the best row of the rung below: the best with the
/// same instruction set, or the best of all where that rung has none of it. 0 where nothing is below.
std::vector<double> gains_of(std::span<const Row> rows);

}  // namespace tw::measure
