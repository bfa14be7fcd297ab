// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Where a tile of planes has its arrays, and what is asked for ahead. For files with extra instructions: everything
// here is inlined.
#pragma once

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {

struct PlaneRows {
    const std::byte* rows;
    std::int64_t step;  ///< bytes from one input's row to the next
};

struct PlanesTileRows {
    PlaneRows scales, a, b, c;
    std::int64_t width;  ///< quarters: half a row of A or B has 16 bytes times this
};

TW_INSIDE std::int64_t up_to_line(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

TW_INSIDE PlanesTileRows rows_of(const std::byte* rows, std::int64_t n, std::int64_t width) {
    PlanesTileRows tile;
    tile.width = width;
    tile.scales = {rows, 8 * width};
    tile.a = {rows + up_to_line(n * 8 * width), 32 * width};
    tile.b = {tile.a.rows + up_to_line(n * 32 * width), 32 * width};
    tile.c = {tile.b.rows + up_to_line(n * 32 * width), 64 * width};
    return tile;
}

/// A row of any plane that is read where an input's own is not.
struct Stand {
    alignas(64) unsigned char bytes[256];
    constexpr explicit Stand(unsigned char code) : bytes{} {
        for (unsigned char& byte : bytes) byte = code;
    }
    const std::byte* row() const { return reinterpret_cast<const std::byte*>(bytes); }
};
static constexpr Stand middle_of_b{0xaa}, middle_of_c{0x88}, no_c{0};

/// Where an entry's rows are, of whole codes: what it does not read stands in.
struct EntryRows {
    const std::byte *scales, *a, *b, *c;
};

/// By the units that are read, so that no branch depends on an entry.
struct WholeTileRows {
    EntryRows first[4];
    std::int64_t steps[4][4];  ///< from an input to the next one: of scales, a, b, c

    [[gnu::always_inline]] explicit WholeTileRows(const EffortWholeTile& call) {
        const PlanesTileRows tile = rows_of(call.rows, call.inputs, call.width);
        for (int units = 0; units < 4; ++units) {
            const PlaneRows stand_in{units == 2 ? middle_of_c.row() : no_c.row(), 0};
            const PlaneRows b = units > 1 ? tile.b : PlaneRows{middle_of_b.row(), 0}, c = units > 2 ? tile.c : stand_in;
            first[units] = {tile.scales.rows, tile.a.rows, b.rows, c.rows};
            steps[units][0] = tile.scales.step, steps[units][1] = tile.a.step;
            steps[units][2] = b.step, steps[units][3] = c.step;
        }
    }
    [[gnu::always_inline]] EntryRows of(const EffortEntry& entry) const {
        const EntryRows& from = first[entry.units];
        const auto& step = steps[entry.units];
        const std::int64_t input = entry.input;
        return {from.scales + input * step[0], from.a + input * step[1], from.b + input * step[2],
                from.c + input * step[3]};
    }
    /// Of a chunk's entries. Without gaps they lie one below the other.
    [[gnu::always_inline]] void find(const EffortEntry* entries, int count, bool has_gaps, EntryRows* rows) const {
        if (has_gaps) {
            for (int e = 0; e < count; ++e) rows[e] = of(entries[e]);
        } else if (count > 0) {
            EntryRows next = of(entries[0]);
            const auto& step = steps[entries[0].units];
            for (int e = 0; e < count; ++e) {
                rows[e] = next;
                next.scales += step[0], next.a += step[1], next.b += step[2], next.c += step[3];
            }
        }
    }
};

/// Past a chunk's last entry its rows are read again.
TW_INSIDE void fill_up(EntryRows* rows, int count) {
    for (int e = count; e < planes::whole_chunk; ++e) rows[e] = rows[count - 1];
}

TW_INSIDE PlanesTileRows rows_of(const EffortTile& call) { return rows_of(call.rows, call.inputs, call.width); }

TW_INSIDE void ask_for(const std::byte* line) { __builtin_prefetch(line, 0, 2); }

/// Where a tile's rows that are asked for lie, by the units that are read. A table, because no branch may depend on an
/// entry, and compilers make branches of chosen values. In the place of rows that are not wanted it has itself, which
/// is in L1: asked for once more, a line on its way to L2 holds one of the core's few line buffers until it is there.
struct AskedTile {
    struct Rows {
        const std::byte *b, *c;
        std::int64_t step_of_b, half_of_b, step_of_c, quarter_of_c;
    };
    const std::byte *scales, *a;
    alignas(64) Rows by_units[4];

    [[gnu::always_inline]] explicit AskedTile(const PlanesTileRows& tile) : scales{tile.scales.rows}, a{tile.a.rows} {
        for (int units = 0; units < 4; ++units) {
            const PlaneRows here{reinterpret_cast<const std::byte*>(by_units + units), 0};
            const PlaneRows b = units > 1 ? tile.b : here, c = units > 2 ? tile.c : here;
            by_units[units] = {b.rows, c.rows, b.step, b.step / 2, c.step, c.step / 4};
        }
    }
    AskedTile(const AskedTile&) = delete;

    /// Scales and plane A.
    [[gnu::always_inline]] void ask_for_first(const EffortEntry& entry, std::int64_t width) const {
        const std::int64_t input = entry.input;
        const std::byte* row = a + input * (32 * width);
        ask_for(scales + input * (8 * width));
        ask_for(row), ask_for(row + 16 * width);
    }
    [[gnu::always_inline]] void ask_for_others(const EffortEntry& entry) const {
        const Rows& rows = by_units[entry.units];
        const std::int64_t input = entry.input;
        const std::byte *b = rows.b + input * rows.step_of_b, *c = rows.c + input * rows.step_of_c;
        ask_for(b), ask_for(b + rows.half_of_b);
        for (int q = 0; q < 4; ++q, c += rows.quarter_of_c) ask_for(c);
    }
};

}  // namespace tw::cpu
