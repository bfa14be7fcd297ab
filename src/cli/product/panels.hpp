// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a product whose files don't fit in memory is cut: blocks of C, and the panels of A and B that make them.
#pragma once

#include <cstdint>
#include <optional>

#include "tilewright/types.hpp"

namespace tw::cli {

/// The largest block of C that is held at once is m x n; it takes A's and B's k terms k at a time.
struct Panels {
    std::int64_t m = 1, n = 1, k = 1;

    friend constexpr bool operator==(const Panels&, const Panels&) = default;
};

struct PanelProblem {
    std::int64_t m = 0, n = 0, k = 0;
    Type type = Type::f32;
    bool a_by_rows = true, b_by_rows = true;  ///< how the operands' files lie: what is cheap to read
    bool copies_c = false;                    ///< verification keeps a copy of the C that it adds to
    bool may_split_k = true;                  ///< a sum in several calls rounds between them
};

/// What the panels need in memory, the widened copies of narrow operands with them.
double panel_bytes(const PanelProblem& problem, const Panels& panels) noexcept;

/// The panels that fit into so many bytes and read least; none when not even one row and one column fit.
std::optional<Panels> choose_panels(const PanelProblem& problem, std::int64_t bytes) noexcept;

/// Memory that can be had without pushing others out: the machine's, or what the control groups leave.
std::int64_t available_memory() noexcept;

}  // namespace tw::cli
