// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <vector>

#include "measure/roofs/bandwidth.hpp"
#include "measure/roofs/roofline.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

/// Each of our timed rows as a point below the roofs, with the flops for each byte of its kernel's default tile.
std::vector<RooflinePoint> points_of(const std::vector<Row>& rows, const std::vector<Bandwidth>& bandwidths);

}  // namespace tw::measure
