// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Cases one after another, by their seeds, until the time is over or one fails.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "measure/judging/trial.hpp"

namespace tw::judging {

struct Asked {
    std::uint64_t seed = 1;  ///< of the first case; the next one's is 1 more
    double seconds = 60;
    std::int64_t cases = 0;    ///< at most; 0: as many as there is time for
    std::int64_t largest = 0;  ///< extent; 0: as drawn
    Where where{};
    std::function<bool(double)> goes_on{};  ///< told the part that is done; false ends it
};

struct Session {
    std::int64_t cases = 0, refused = 0, elements = 0;
    std::array<std::int64_t, 5> by_door{};
    std::uint64_t failing_seed = 0;
    std::string failure;  ///< empty: nothing was wrong
    Case failed, plainest;
    std::string plainest_failure;
};

Session judge_cases(const Asked& asked);

}  // namespace tw::judging
