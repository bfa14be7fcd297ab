// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "measure/rows/row.hpp"

namespace tw::cli {

/// Ends the verb when the judge refused a row of ours. A peer's wrong row is told, and no more.
void stop_if_wrong(const measure::Run& run);

}  // namespace tw::cli
