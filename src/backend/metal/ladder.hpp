// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The Metal ladder, without a device: which function does which rung, and with what grid. Two backends run it, the GPU
// of a Mac and the machine in on_linux/.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "backend/contract.hpp"
#include "backend/metal/dispatch.hpp"
#include "backend/metal/parameters.h"

namespace tw::metal {

/// What a kernel may need beyond what every Metal GPU has.
inline constexpr Features simdgroup_matrices = 1 << 0;  // Apple7 and later
inline constexpr Features async_copy = 1 << 1;          // the compiler takes simdgroup_async_copy
inline constexpr Features bfloat_type = 1 << 2;         // MSL 3.1

/// One compiled function: its tile, its threadgroup, and the block of C that a threadgroup makes.
struct Shape {
    Tile tile;
    const char* function;
    uint threads_x, threads_y;
    uint rows, cols;
    bool rows_along_x = false;  ///< the grid's x runs down C instead of along it
};

/// What a kernel takes: any product; A and B with one step of 1; 16 rows at most.
enum class Takes : std::uint8_t { any, unit_steps, few_rows };

/// A row of the ladder before it belongs to a device.
struct LadderRow {
    const char* name;    ///< "r3_tiled.f32"
    const char* family;  ///< the .metal file, which is compiled on its own
    Rung rung;
    Type type;
    Features needs;
    Takes takes;
    std::span<const Shape> shapes;
    std::span<const Tile> tiles;  ///< those of the shapes
    double picoseconds;           ///< for one multiplication on a small GPU: a guess, until a tuner has measured
    const char* idea;
};

/// A product of the ladder on its way to a device.
struct Launch {
    const char* family;
    const char* function;
    Parameters parameters;
    const void *a, *b;
    void* c;
    std::size_t a_bytes, b_bytes, c_bytes;
    uint groups_x, groups_y, threads_x, threads_y;

    /// It points to the parameters of this launch.
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

Status make_launch(const LadderRow& row, const Call& call, const Tile& tile, Launch& launch) noexcept;

bool takes_any(const Problem& problem) noexcept;
bool takes_unit_steps(const Problem& problem) noexcept;
bool takes_few_rows(const Problem& problem) noexcept;

constexpr auto predicate_of(Takes takes) noexcept -> bool (*)(const Problem&) {
    return takes == Takes::any          ? [](const Problem& p) { return takes_any(p); }
           : takes == Takes::unit_steps ? [](const Problem& p) { return takes_unit_steps(p); }
                                        : [](const Problem& p) { return takes_few_rows(p); };
}

}  // namespace tw::metal
