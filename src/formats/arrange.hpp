// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Writes rows and the dense copy in the layout that a GPU's kernels read (on_device.hpp), one tile at a time, so that
// there is never a second copy of the matrix.
#pragma once

#include "formats/body.hpp"

namespace tw::effort {

/// Numbers from one unit's gains to the next one's, and from one expert's importance to the next one's.
std::int64_t arranged_inputs(const EffortBody& body) noexcept;
std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept;

/// Writes one tile of a layout that has `arrange`; `to` must be zero.
void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;
void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;

}  // namespace tw::effort
