// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

/// An input and how many of its units are read. v is multiplied by the layout's scale and gain already; for layouts
/// with gains the largest |v| is about 1.
struct EffortEntry {
    std::uint32_t input, units;
    float v;
};
static_assert(sizeof(EffortEntry) == 12);

}  // namespace tw
