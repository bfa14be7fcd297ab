// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a tile on operands as they lie asks the caches for: the next strip of B, or the next rows of A, each of which
// may lie on a page of its own, where no hardware fetches ahead.
#pragma once

#include <cstdint>

#include "backend/cpu/micro/micro_kernel.hpp"

namespace tw::cpu {
namespace {

/// A few lines a step, as all at once they would stand in the tile's way. A strip that is two short vectors wide has a
/// place in L1 beside the next one, wider ones do not. Only for tiles with rows to ask for: reading these fields beside
/// others that were just stored would wait for the stores.
template <class V>
class Asked {
    using T = typename V::Element;

public:
    explicit Asked(const MicroTile<T>& t)
        : at_(t.ahead),
          step_(t.ahead_step),
          length_(t.ahead_lines * line),
          at_once_(t.ahead_rows * t.ahead_lines / t.k + 1),
          steps(t.ahead_rows * t.ahead_lines / at_once_) {}
    [[gnu::always_inline]] inline void ask() {
        for (std::int64_t i = 0; i < at_once_; ++i) {
            __builtin_prefetch(at_ + along_, 0, sizeof(typename V::Register) < 64 ? 3 : 2);
            if ((along_ += line) >= length_) along_ = 0, at_ += step_;
        }
    }

private:
    static constexpr std::int64_t line = 64 / sizeof(T);
    const T* at_;
    std::int64_t step_, length_, at_once_, along_ = 0;

public:
    const std::int64_t steps;  ///< until all is asked for, no more than the tile has
};

}  // namespace
}  // namespace tw::cpu
