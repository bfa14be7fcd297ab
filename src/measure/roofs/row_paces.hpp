// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "base/pace.hpp"

namespace tw::measure {

/// What some rows of C by a larger B take by r6, r7 and few_rows, from five products of f32 by each, in some 0.1 s.
/// Left as they are where the machine was too busy for times that make sense.
void measure_rows(Pace& pace);

}  // namespace tw::measure
