// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows as a CUDA device wants them: every tile whole, what the last one lacks is zero. The dense copy stays as it
// is otherwise. Buckets and tiers have 1024 outputs in a tile; of tiers, the mask of a bucket is the positions of its
// four bits, the lowest first, four bits each. Of planes each half of a tile, 256 outputs, is a tile of its own, with
// inputs filled up to a multiple of 128:
//   for each chunk of 128 inputs   128 x 64 bytes  plane A, in rows of inputs 2 and 3 of four bytes 0..31 and 32..63
//   change places
//                                  128 bytes       a step for each of the 8 blocks, f32, a power of 2
//                                  128 x 16 bytes  the blocks' scales over the step, f16, at most 1
//   then for all inputs            64 bytes        plane B
//   then for all inputs            128 bytes       plane C
// The words of a row change places, from (h, odd, q, t) of formats/planes.hpp to (h, t, odd, q): 8 neighbouring bytes
// have one word of each quarter. Plane C alone has `odd`, k & 1.
#pragma once

#include "effort/body.hpp"

namespace tw::effort {

/// Inputs of planes with those that fill up the last chunk.
std::int64_t padded_inputs(std::int64_t inputs) noexcept;
std::int64_t arranged_outputs_of_tile(const EffortBody& body) noexcept;
/// Bytes of one tile; a multiple of 64.
std::int64_t arranged_tile_bytes(const EffortBody& body) noexcept;
std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept;

/// Writes one tile; `to` is zero at first.
void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;
void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;

}  // namespace tw::effort
