// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <vector>

#include "measure/report/report.hpp"

namespace tw::measure {

/// The effort dial, from rows of tw effort curve: error and speed against the bytes that are read. Its text is "" when
/// there are no rows.
Section effort_section(const std::vector<Row>& quality, const std::vector<Row>& speed);

}  // namespace tw::measure
