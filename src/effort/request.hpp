// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The products that a caller asked for, checked.
#pragma once

#include <span>

#include "formats/body.hpp"

namespace tw::effort {

struct Request {
    const EffortBody& body;
    std::span<const int> chosen;  ///< experts; empty: the first one for all, or chosen_there
    View<const float> v;          ///< one row for all, or a row for each of y
    View<float> y;
    Budget budget;
    const EffortOptions& options;
    std::span<EffortReport> reports;    ///< one for each row of y, or none
    bool densely = false;               ///< a batch at effort 1: read the dense copy if there is one
    const int* chosen_there = nullptr;  ///< experts that only the device knows: one for each row of y

    int expert_of(std::int64_t row) const noexcept {
        return chosen.empty() ? 0 : chosen[static_cast<std::size_t>(row)];
    }
    const float* v_of(std::int64_t row) const noexcept { return &v(v.rows == 1 ? 0 : row, 0); }
    void report(std::int64_t row, const EffortReport& what) const noexcept {
        if (!reports.empty()) reports[static_cast<std::size_t>(row)] = what;
    }
};

}  // namespace tw::effort
