// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A matrix described to TMA. The driver's entry point is looked up at run time: nothing links libcuda.
#pragma once

#include <cuda.h>

#include <cstdint>

#include "tilewright/status.hpp"
#include "tilewright/types.hpp"

namespace tw::cuda {

/// Rows of `inner` elements, `outer` of them, `row_bytes` apart; boxes of box_inner x box_outer. Boxes with rows of 64
/// or 128 bytes are swizzled in shared memory, unless told not to be, longer rows lie as they are. A map of many
/// matrices has `depth` of them, each begins depth_bytes behind the one before, over it even; with a depth of 0 the map
/// has one, and no coordinate for it.
struct BoxedMatrix {
    const void* data;
    Type type;
    std::int64_t inner, outer, row_bytes;
    int box_inner, box_outer;
    std::int64_t depth = 0, depth_bytes = 16;
    bool rounds_to_tf32 = false;  ///< f32 on its way to the matrix unit: to the nearest tf32, ties to even
    bool swizzled = true;
};

Status describe(CUtensorMap& map, const BoxedMatrix& matrix) noexcept;

/// What the engine asks of addresses and steps.
inline bool suits_tma(const void* data, std::int64_t row_bytes) noexcept {
    return reinterpret_cast<std::uintptr_t>(data) % 16 == 0 && row_bytes % 16 == 0 && row_bytes > 0;
}

}  // namespace tw::cuda
