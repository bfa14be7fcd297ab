// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The next panel's share of a tile's time: a few of its lines are asked for at each step, for the second cache.
#pragma once

#include "backend/cpu/matrix_unit.hpp"

namespace tw::cpu {
namespace {

class Ahead {
public:
    [[gnu::always_inline]] Ahead(const UnitTile& tile, std::int64_t steps)
        : at_(tile.ahead), end_(tile.ahead + tile.ahead_bytes),
          lines_((static_cast<std::int64_t>(tile.ahead_bytes) + 63) / 64 / steps + 1) {}

    [[gnu::always_inline]] void step() {
        for (std::int64_t line = 0; line < lines_ && at_ < end_; ++line, at_ += 64) __builtin_prefetch(at_, 0, 2);
    }

private:
    const std::byte *at_, *end_;
    std::int64_t lines_;
};

}  // namespace
}  // namespace tw::cpu
