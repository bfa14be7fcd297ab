// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the file of a matrix unit shares with everybody else: plain data, nothing that could be linked.
//
// A panel is 32 rows of A (or 32 columns of B) over one block of k, as the unit reads it, behind a header that says
// which of the 32 cannot be trusted to it. Sums of such rows and columns are computed again by FMA (guarded_tile.hpp),
// so Inf, NaN, subnormals and extreme exponents go where IEEE arithmetic puts them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tw::cpu {

/// Rows and columns of C that a unit computes at a time: 2 x 2 tiles.
inline constexpr int unit_side = 32;

/// Before a panel's tiles.
struct PanelHeader {
    std::uint32_t outside;  ///< bit w: row w holds something that its parts would not give back
    std::uint32_t reserved[15];
};

/// Panels that are packed together at most.
inline constexpr int unit_panels_at_once = 16;

/// Element (w, p) of what goes into panels; columns of B are handed in as rows.
struct PanelSource {
    const void* data;
    bool is_bf16;  ///< else f32
    std::int64_t row_step, step;
    int rows;  ///< of all panels
    std::int64_t k;
    std::size_t room;  ///< from one panel to the next
};

/// Sums of a tile as the unit stores them: f32, or int32 of up to four weights.
struct alignas(64) UnitSums {
    std::byte of[4 * unit_side * unit_side * 4];
};

/// C = alpha * (sums + partial) + beta * C, along contiguous rows.
struct UnitResult {
    UnitSums* sums;
    bool is_held;            ///< the unit may have kept them, and stores them when it multiplies again or they meet C
    const float* partial;    ///< to be added to them, unit_side a row; null: nothing
    const std::byte *a, *b;  ///< the panels that they were made of
    std::byte* c;            ///< f32, or bf16 where there is nothing but this sum to be rounded
    bool c_is_narrow;
    std::int64_t c_step;  ///< elements
    int rows, cols;
    float alpha, beta;
};

/// One panel of A times one of B, as the unit's own sums.
struct UnitTile {
    std::int64_t k, from, to;  ///< the panels' own, and what is to be summed of it
    const std::byte *a, *b;
    bool is_turned;  ///< A's panel is of the caller's B: products that are not symmetric are taken the other way round
    const UnitResult*
        waiting;  ///< a result of the same sums, as wide as a tile, which is met before they are stored; null: none
    const UnitResult& next;  ///< these sums and where they go
    bool c_is_far;           ///< it may be fetched in passing
    const std::byte* ahead;  ///< to be fetched in passing, `ahead_bytes` of it
    std::size_t ahead_bytes;
};

/// From one tile of C to the next: along its rows, where panels of B stream past one of A. Three parts go down its
/// columns, and it is A's that stream: seen to be quicker where k is long.
template <int parts>
inline constexpr bool walks_rows = parts < 3;

/// Operands in one number of parts.
struct UnitPanels {
    void (*pack_a)(const PanelSource&, std::byte* panel);
    void (*pack_b)(const PanelSource&, std::byte* panel);
    void (*multiply)(const UnitTile&);
};

struct MatrixUnit {
    void (*begin)();  ///< around a worker's tiles
    void (*end)();
    UnitPanels bf16[3];  ///< [parts - 1]
    void (*add_to_c)(const UnitResult&);
    void (*round)(const float* from, std::uint16_t* to, std::int64_t count);  ///< to bf16
};

extern const MatrixUnit unit_amx, unit_emulated;

}  // namespace tw::cpu
