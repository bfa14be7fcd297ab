// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The direct way: a product of few register tiles is planned down to the tiles' functions, so that each run is a call
// of the kernel's own, with nothing around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "tilewright/plan.hpp"

namespace tw {

/// m is cut into strips, n into pieces: the first `tall_strips` strips have `height` rows and the others one row less;
/// pieces have `width` columns, the last one what is left.
struct Direct {
    using Run = void (*)(const Direct&, const Matrix& a, const Matrix& b, const Matrix& c, double alpha, double beta);
    Run run = nullptr;           ///< null: the product has no such way
    void (*tiles[2][2])() = {};  ///< [of the lower strips][the last piece of a strip]
    int height = 0, tall_strips = 0, width = 0;
    bool turned = false;  ///< computed as C^T = B^T A^T, whose right operand and C are contiguous along their rows
    bool left_on_rows = false;    ///< and whose left operand is so too
    std::uint64_t most_step = 0;  ///< operands whose rows or columns lie further apart, or backwards, go the long way

    /// With shapes of no more than this, an operand's bytes fit into an address.
    static constexpr std::uint64_t any_step = (1u << 24) - 1;
};

/// A plan keeps one where its header shows bytes alone.
static_assert(sizeof(Direct) == sizeof(Plan::direct) && alignof(Direct) <= alignof(void*));
inline const Direct& direct_of(const Plan& plan) noexcept {
    return *std::launder(reinterpret_cast<const Direct*>(plan.direct));
}
inline void set_direct(Plan& plan, const Direct& direct) noexcept { new (plan.direct) Direct(direct); }

/// True when there is a direct way and it suits how the operands lie.
constexpr bool suits(const Direct& direct, const Matrix& a, const Matrix& b) noexcept {
    const auto steps = static_cast<std::uint64_t>(a.row_step | a.col_step | b.row_step | b.col_step);
    return direct.run && steps <= direct.most_step;
}

/// True when these are operands that a problem with a direct way was planned for and no rule is broken: seen at a
/// glance, so that nothing else need be asked about them.
constexpr bool are_as_planned(const Direct& direct, const Problem& p, const Matrix& a, const Matrix& b,
                              const Matrix& c) noexcept {
    if (!suits(direct, a, b) || static_cast<std::uint64_t>(c.row_step | c.col_step) > Direct::any_step) return false;
    if (a.rows != p.m || c.rows != p.m || a.cols != p.k || b.rows != p.k || b.cols != p.n || c.cols != p.n)
        return false;
    if (a.type != p.in || b.type != p.in || c.type != p.out || !a.data || !b.data || !c.data) return false;
    const auto lie_so = [&](std::int64_t left, std::int64_t right, std::int64_t along, std::int64_t down,
                            std::int64_t width) {
        return right == 1 && along == 1 && down >= width && (left == 1 || !direct.left_on_rows);
    };
    return direct.turned ? lie_so(b.row_step, a.row_step, c.row_step, c.col_step, p.m)
                         : lie_so(a.col_step, b.col_step, c.col_step, c.row_step, p.n);
}

}  // namespace tw
