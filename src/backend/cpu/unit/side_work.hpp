// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the core does beside its matrix unit, a little at each step: rows of the previous tile are added to C, lines of
// the next panel and rows of the tile's own C are prefetched. The unit's instructions leave room for it; a tile's own
// sums would have to be waited for, and all of its C at once would hold up the loads of its panels.
#pragma once

#include "backend/cpu/unit/matrix_unit.hpp"

namespace tw::cpu {
namespace {

/// `ResultLines(result).line(i)` for each i below `ResultLines::lines(result)` of a result that is as wide as a tile,
/// the last one first.
template <class ResultLines>
class SideWork {
public:
    /// `steps` is how many there are before sums are stored.
    [[gnu::always_inline]] SideWork(const UnitTile& tile, std::int64_t steps)
        : at_(tile.ahead),
          end_(tile.ahead + tile.ahead_bytes),
          ahead_((static_cast<std::int64_t>(tile.ahead_bytes) + 63) / 64 / steps + 1),
          result_(tile.waiting),
          lines_left_(tile.waiting ? ResultLines::lines(*tile.waiting) : 0),
          lines_at_once_(static_cast<int>((lines_left_ + steps - 1) / steps)),
          c_(tile.next.c),
          c_step_(tile.next.c_step * (tile.next.c_is_narrow ? 2 : 4)),
          last_(tile.next.cols * (tile.next.c_is_narrow ? 2 : 4) - 1),
          fetches_left_(tile.c_is_far ? tile.next.rows : 0),
          fetches_(static_cast<int>((fetches_left_ + steps - 1) / steps)) {}

    [[gnu::always_inline]] void step() {
        for (std::int64_t line = 0; line < ahead_ && at_ < end_; ++line, at_ += 64) __builtin_prefetch(at_, 0, 2);
        const int end = lines_left_ > lines_at_once_ ? lines_left_ - lines_at_once_ : 0;
        while (lines_left_ > end) result_.line(--lines_left_);
        for (int row = 0; row < fetches_ && fetches_left_ > 0; ++row, --fetches_left_, c_ += c_step_) {
            __builtin_prefetch(c_, 0, 2);
            if (is_in_another_line(c_, c_ + last_)) __builtin_prefetch(c_ + last_, 0, 2);
        }
    }

private:
    /// A repeated prefetch takes a line-fill buffer from the tile loads.
    static bool is_in_another_line(const std::byte* one, const std::byte* other) {
        return (reinterpret_cast<std::uintptr_t>(one) ^ reinterpret_cast<std::uintptr_t>(other)) >= 64;
    }

    const std::byte *at_, *end_;
    std::int64_t ahead_;
    ResultLines result_;
    int lines_left_, lines_at_once_;
    const std::byte* c_;
    std::int64_t c_step_;  // bytes
    int last_, fetches_left_, fetches_;
};

}  // namespace
}  // namespace tw::cpu
