// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

namespace tw {

/// What is done against a result that is wrong: a bit that flipped in memory or in a register, or a kernel's mistake.
/// A bool will do, too: true is `check`.
class Verify {
public:
    enum Level : std::uint8_t {
        off,
        check,    ///< sums of rows, in O(n^2); a product that fails is computed once more on the reference path
        correct,  ///< sums of rows and of columns, in O(n^2); what they tell of is computed again, and nothing else
    };

    constexpr Verify() noexcept = default;
    constexpr Verify(bool wanted) noexcept : level_(wanted ? check : off) {}
    constexpr Verify(Level level) noexcept : level_(level) {}

    constexpr Level level() const noexcept { return level_; }
    constexpr explicit operator bool() const noexcept { return level_ != off; }

    friend constexpr bool operator==(Verify, Verify) = default;

private:
    Level level_ = off;
};

}  // namespace tw
