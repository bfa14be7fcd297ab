// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows as a GPU wants them: every tile whole, what the last one lacks is zero. Buckets, tiers and the dense copy stay as they are
// otherwise; in planes the words of a row change places, from (h, q, t) of layout_planes.hpp to (h, t, q), so that 16 neighbouring bytes
// have one word of each quarter. Plane C is so in each of its halves k & 1, which come first.
#pragma once

#include "effort/body.hpp"

namespace tw::effort {

/// Bytes of one tile; a multiple of 64.
std::int64_t arranged_tile_bytes(const EffortBody& body) noexcept;
std::int64_t arranged_dense_tile_bytes(const EffortBody& body) noexcept;

/// Writes one tile; `to` is zero at first.
void arrange_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;
void arrange_dense_tile(const EffortBody& body, int expert, std::int64_t tile, std::byte* to) noexcept;

}  // namespace tw::effort
