// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows and the dense copy as a GPU's kernels read them: on_device.hpp says how. Tiles are written one at a time, so
// that no second copy of the matrix is held.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

/// From one unit's gains to the next one's, one expert's importance to the next one's.
std::int64_t arranged_inputs(const EffortBody& body) noexcept;
std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept;

/// Writes one tile of a layout that has `arrange`; `to` is zero at first.
void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;
void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;

}  // namespace tw::effort
