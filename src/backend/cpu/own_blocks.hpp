// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r7's blocks of k as one thread packs and multiplies them, or reads them where they were packed ahead of time.
#pragma once

#include "backend/cpu/micro/tile_of_c.hpp"
#include "backend/cpu/own_panels.hpp"
#include "backend/cpu/panels_of_a.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/grid.hpp"

namespace tw::cpu {

template <class T, const MicroKernel<T>& micro>
class OwnBlocks {
public:
    OwnBlocks(const Call& call, const SlabSteps* slabs, bool turned)
        : call_(call), slabs_(slabs), x_(product_of<T>(call)), finisher_(call, turned, slabs), ready_(call) {}

    /// The block of k at p: a row of tiles for each panel of A, while the next is on its way; the first packs B's
    /// panels as it goes, unless they lie there. `rows_behind` come next. One description serves all tiles.
    void multiply_block(const Part& part, std::int64_t p, T* b_block, const PanelsOfA<T, micro>& own, bool packs = true,
                        std::int64_t rows_behind = 0) const {
        const PackedPanels& packed = call_.packed;
        const bool packed_a = packed.panels && packed.on_left, packed_b = packed.panels && !packed_a;
        const std::int64_t depth = depth_at(p), tiles = ceil_div(part.cols, micro.nr);
        if (packed_b && part.rows <= few) return multiply_few(part, p, b_block, own.data);
        const bool widens_b = packed_b && is_narrow(packed.type);
        // Packed together, as each row of them may lie on a page of its own: the longer a run, the sooner it comes.
        const std::int64_t some_cols = (micro.lanes * int{sizeof(T)} < 64 && call_.b.col_step == 1 ? 12 : 4) * micro.nr;
        MicroTile<T> tile = tile_on(nullptr, micro.mr, nullptr, p);
        for (std::int64_t i = 0, rows; i < part.rows; i += rows) {
            rows = packed_a ? std::min<std::int64_t>(micro.mr, part.rows - i) : own.height(part.rows - i);
            tile.a_step = packed_a ? micro.mr : own.width(rows);
            tile.a = packed_a ? ready_.panel(p, part.i + i, depth, own.data) : own.at(i, depth);
            const Matrix rows_left = call_.a.block(part.i + i, p, part.rows + rows_behind - i, depth);
            if (!packed_a && own.is_first) own.pack(rows_left, i, rows);
            Ahead<T> ahead = packed_a ? Ahead<T>(nullptr, 0, 1) : own.ahead_of(rows_left, i, rows, tiles);
            tile.ahead_step = ahead.step, tile.ahead_lines = ahead.lines;
            T* panel = b_block;
            for (std::int64_t j = 0; j < part.cols; j += micro.nr, panel += micro.nr * depth, ahead.advance()) {
                const std::int64_t cols = std::min<std::int64_t>(micro.nr, part.cols - j);
                tile.b = panel;
                if (packed_b && (i == 0 || !widens_b)) tile.b = ready_.panel(p, part.j + j, depth, panel);
                else if (packs && i == 0 && !packed_b && j % some_cols == 0)
                    pack_any(micro,
                             call_.b.block(p, part.j + j, depth, std::min(some_cols, part.cols - j)).transposed(),
                             micro.nr, panel);
                tile.ahead = ahead.data, tile.ahead_rows = ahead.rows;
                complete(tile, slabs_, part.i + i, part.j + j, rows, cols, p + depth == x_.k());
            }
        }
    }

private:
    /// Few rows, and panels of B that lie ready: each comes from memory once, and all panels of A meet it. They are of
    /// the same height, so that no tile is a sliver.
    void multiply_few(const Part& part, std::int64_t p, T* widened, T* a_panels) const {
        const std::int64_t height = block_size(part.rows, micro.mr, 1), depth = depth_at(p);
        for (std::int64_t i = 0; i < part.rows; i += height) {
            const std::int64_t rows = std::min(height, part.rows - i);
            pack_any(micro, call_.a.block(part.i + i, p, rows, depth), static_cast<int>(height), a_panels + i * depth);
        }
        for (std::int64_t j = 0; j < part.cols; j += micro.nr) {
            const std::int64_t cols = std::min<std::int64_t>(micro.nr, part.cols - j);
            MicroTile<T> tile = tile_on(a_panels, height, ready_.panel(p, part.j + j, depth, widened), p);
            for (std::int64_t i = 0; i < part.rows; i += height, tile.a += height * depth)
                complete(tile, nullptr, part.i + i, part.j + j, std::min(height, part.rows - i), cols,
                         p + depth == x_.k());
        }
    }

    std::int64_t depth_at(std::int64_t p) const { return std::min(k_block<T>(x_.k()), x_.k() - p); }
    MicroTile<T> tile_on(const T* a, std::int64_t height, const T* b, std::int64_t p) const {
        return {.k = depth_at(p),
                .a = a,
                .a_row_step = 1,
                .a_step = height,
                .b = b,
                .b_step = micro.nr,
                .c = nullptr,
                .c_step = 0,
                .alpha = x_.alpha,
                .beta = p == 0 ? x_.beta : T(1),
                .rows = 0,
                .cols = 0};
    }
    void complete(MicroTile<T>& tile, const SlabSteps* slabs, std::int64_t i, std::int64_t j, std::int64_t rows,
                  std::int64_t cols, bool ends) const {
        // Of a narrow C with but one block of k the sums need no place in memory.
        alignas(64) T in_l1[MicroKernel<T>::most_results];
        const bool passes = ends && finisher_.rounds() && tile.beta == 0;
        const View<T> c = passes ? View<T>(in_l1, rows, cols, micro.nr, 1) : x_.c.block(i, j, rows, cols);
        if (ends) finisher_.expect(rows, cols, i, j);
        run_tile_in_slabs(micro, tile, c, slabs);
        if (ends) finisher_(erase(c), i, j);
    }

    const Call& call_;
    const SlabSteps* const slabs_;
    const Product<T> x_;
    const Finisher finisher_;
    const ReadyPanels<T, micro> ready_;
};

}  // namespace tw::cpu
