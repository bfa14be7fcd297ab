// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The Metal ladder, without a device: the functions of each rung, and their grids. Two backends run it: the GPU of a
// Mac, and the machine in on_linux/.
#pragma once

#include <array>
#include <cstdint>

#include "backend/contract.hpp"
#include "backend/metal/dispatch.hpp"
#include "backend/metal/parameters.h"

namespace tw::metal {

/// Features that not every Metal GPU has.
inline constexpr Features simdgroup_matrices = 1 << 0;  // Apple7 and later
inline constexpr Features async_copy = 1 << 1;          // the compiler takes simdgroup_async_copy
inline constexpr Features bfloat_type = 1 << 2;         // MSL 3.1

/// One compiled function: its tile, of which a threadgroup computes m x n elements of C, and its threads.
struct Shape {
    Tile tile;
    const char* function;
    uint threads_x, threads_y;
    bool rows_along_x = false;  ///< the grid's x runs down C instead of along it
};

/// Which products a row takes: any that 32 bits can count; with a step of 1 in A and B; with at most 16 rows.
bool takes_any(const Problem& problem) noexcept;
bool takes_unit_steps(const Problem& problem) noexcept;
bool takes_few_rows(const Problem& problem) noexcept;

/// A Kernel without a device: the same fields, with compiled functions in place of `run` and `tiles`.
struct LadderRow {
    const char* name;  ///< "r3_tiled.f32", without the device's
    Rung rung;
    Type type;  ///< of A, B and C; sums are f32, or pairs of them
    Features needs = 0;
    bool (*takes)(const Problem&) = takes_any;
    Shape shapes[3];
    double picoseconds;  ///< for one multiplication on a small GPU: an estimate, used unless tuned
    const char* idea;

    constexpr std::size_t count() const noexcept {
        std::size_t number = 0;
        while (number < std::size(shapes) && shapes[number].function) ++number;
        return number;
    }
};

/// The launch of a product.
struct Launch {
    const char* family;
    const char* function;
    Parameters parameters;
    const void *a, *b;
    void* c;
    std::size_t a_bytes, b_bytes, c_bytes;
    uint groups_x, groups_y, threads_x, threads_y;

    /// Points to the parameters of this launch, which must outlive it.
    Dispatch dispatch() const noexcept {
        return {.family = family,
                .function = function,
                .arguments = {{{a, a_bytes}, {b, b_bytes}, {c, c_bytes}, {&parameters, sizeof parameters, true}}},
                .groups_x = groups_x,
                .groups_y = groups_y,
                .threads_x = threads_x,
                .threads_y = threads_y};
    }
};

/// `family`: the .metal file of the row's functions.
Status make_launch(const LadderRow& row, const char* family, const Call& call, const Tile& tile,
                   Launch& launch) noexcept;

}  // namespace tw::metal
