// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Cuts a product whose files do not fit in memory: into blocks of C, and the panels of A and B for each.
#pragma once

#include <cstdint>
#include <optional>

#include "tilewright/types.hpp"

namespace tw::cli {

/// The largest block of C is m x n; panels of A and B have k terms at a time.
struct Panels {
    std::int64_t m = 1, n = 1, k = 1;

    friend constexpr bool operator==(const Panels&, const Panels&) = default;
};

struct PanelProblem {
    std::int64_t m = 0, n = 0, k = 0;
    Type type = Type::f32;
    bool a_by_rows = true, b_by_rows = true;  ///< the order of the files' elements, which is cheap to read
    bool copies_c = false;                    ///< verification keeps a copy of C from before the call
    bool may_split_k = true;                  ///< false: a sum in several calls would be rounded between them
};

/// Memory for the panels, with widened copies of narrow operands.
double panel_bytes(const PanelProblem& problem, const Panels& panels) noexcept;

/// The panels that fit into `bytes` and read least; none if not even one row and one column fit.
std::optional<Panels> choose_panels(const PanelProblem& problem, std::int64_t bytes) noexcept;

/// Memory that is available without swapping: the machine's, or what the control groups leave.
std::int64_t available_memory() noexcept;
std::int64_t available_memory(double left) noexcept;  ///< the groups leave that much; less than 0: none limits it

}  // namespace tw::cli
