// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How long a writer of a store waits for its lock. Nobody stands in a line there: where many write one after the other,
// one of them may see the lock taken at each try, for longer than any fixed time. It gives up only when nobody's turn
// has ended for so many tries: then somebody holds the lock and does nothing.
#pragma once

#include <array>
#include <cstdint>

namespace tw {

class Patience {
public:
    /// What each writer's turn leaves changed.
    using Turn = std::array<std::int64_t, 3>;

    explicit Patience(int tries) noexcept : tries_(tries), left_(tries) {}

    /// After a try that failed, and what was there then: whether to try again.
    bool lasts(const Turn& now) noexcept {
        if (now != last_) last_ = now, left_ = tries_;
        return --left_ > 0;
    }

private:
    int tries_, left_;
    Turn last_{};
};

}  // namespace tw
