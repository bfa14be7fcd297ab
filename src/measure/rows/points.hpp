// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <vector>

#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/roofline.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

/// Each timed row of ours as a point below the roofs: counted by its kernel's default tile, held against its own unit.
std::vector<RooflinePoint> points_of(const std::vector<Row>& rows, const std::vector<Bandwidth>& bandwidths);

}  // namespace tw::measure
