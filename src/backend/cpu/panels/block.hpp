// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One packed block of A by one of B: what the macro-kernel does inside, however blocks are shared out and packed.
#pragma once

#include <utility>

#include "backend/cpu/panels/macro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {
namespace {

/// A panel's own bytes; each begins on a line of its own.
std::size_t panel_room(const PanelKernel& kernel, int width, std::int64_t kc) {
    constexpr std::size_t line = 64;
    return (kernel.panel_bytes(width, kc) + line - 1) / line * line;
}

/// A kernel as the loops see it, which always walk along columns. A tile of C is written along its rows: a column-major
/// C is computed as C^T = B^T A^T; for a kernel that walks rows it is the other way round.
class OrientedKernel {
public:
    explicit OrientedKernel(const PanelKernel& kernel) : mr(kernel.mr), nr(kernel.nr), kernel_(kernel) {
        if (kernel.walks_rows) std::swap(mr, nr);
    }
    int mr, nr;

    const PanelKernel* operator->() const { return &kernel_; }
    bool is_turned(const Call& call) const { return cpu::is_turned(call) != kernel_.walks_rows; }
    Tile blocks(const Tile& of_c, std::int64_t kc) const {
        Tile made = kernel_.walks_rows ? Tile{of_c.n, of_c.m, of_c.k} : of_c;
        if (!kernel_.chunk) return made;
        const std::int64_t times = of_c.k / std::max<std::int64_t>(kc, of_c.k / 8 + 1);
        made.m *= std::max(1, static_cast<int>(times));
        return made;
    }

    void pack_a(const Matrix& rows, std::byte* panel, std::size_t room) const {
        kernel_.walks_rows ? kernel_.pack_b(rows.transposed(), panel, room) : kernel_.pack_a(rows, panel, room);
    }
    void pack_b(const Matrix& cols, std::byte* panel, std::size_t room) const {
        kernel_.walks_rows ? kernel_.pack_a(cols.transposed(), panel, room) : kernel_.pack_b(cols, panel, room);
    }

private:
    const PanelKernel& kernel_;
};

/// The panels of one product: their blocks of k and chunks of those, and what each takes.
struct PanelSizes {
    std::int64_t kc, chunk;
    std::size_t a_panel, b_panel, partial;

    PanelSizes(const OrientedKernel& kernel, std::int64_t k)
        : kc(kernel->k_block(k)),
          chunk(kernel->chunk ? kernel->chunk(kc) : kc),
          a_panel(panel_room(*kernel.operator->(), kernel.mr, kc)),
          b_panel(panel_room(*kernel.operator->(), kernel.nr, kc)),
          partial(chunk < kc ? static_cast<std::size_t>(kernel.mr * kernel.nr) * sizeof(float) : 0) {}
};

/// The epilogue of one block of C, whose corner is (i, j): of its tiles after the last block of k.
struct BlockFinisher {
    const Finisher& finisher;
    bool is_last;
    std::int64_t i, j;

    void before(std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) const {
        if (is_last) finisher.expect(rows, cols, i + row, j + col);
    }
    void after(const Matrix& block, std::int64_t row, std::int64_t col, std::int64_t rows, std::int64_t cols) const {
        if (is_last) finisher(block.block(row, col, rows, cols), i + row, j + col);
    }
};

/// The tiles of one block in turn. A kernel with a state may leave one waiting until the next one is computed.
///
/// One PanelTile serves them all, and from one to the next only the fields that differ are written. A copy would be
/// read in wider pieces than it was just written in: store-to-load forwarding fails then, the load stalls behind the
/// pending stores to C, and the matrix unit, whose next operands it names, starves.
class Tiles {
public:
    Tiles(const OrientedKernel& kernel, const Call& block, bool is_turned, const BlockFinisher& finisher)
        : kernel_(kernel),
          finisher_(finisher),
          block_(block),
          is_walking_rows_(kernel->walks_rows),
          tile_{.chunk = {},
                .a = nullptr,
                .b = nullptr,
                .c = is_walking_rows_ ? block.c.transposed() : block.c,
                .width = kernel->nr,
                .alpha = block.alpha,
                .beta = block.beta,
                .a_rows = is_walking_rows_ ? block.b.transposed() : block.a,
                .b_cols = is_walking_rows_ ? block.a.transposed() : block.b,
                .is_turned = is_turned != is_walking_rows_,
                .state = kernel->finish_waiting ? &state_ : nullptr,
                .slabs = kernel->slabs},
          a_rows_(tile_.a_rows),
          b_cols_(tile_.b_cols),
          c_(tile_.c) {}

    void set(const Chunk& chunk) { tile_.chunk = chunk; }

    /// Rows from i on, whose panel is `a`, by columns from j on; `ahead` of b's neighbour may be asked for.
    void multiply(std::int64_t i, std::int64_t rows, const std::byte* a, std::int64_t j, std::int64_t cols,
                  const std::byte* b, float* partial, const std::byte* next, std::size_t ahead) {
        const bool is_last = tile_.chunk.is_last();
        if (is_last) finisher_.before(i, j, rows, cols);
        tile_.chunk.partial = partial;
        tile_.ahead = next;
        tile_.ahead_bytes = ahead;
        is_walking_rows_ ? place(j, cols, b, i, rows, a) : place(i, rows, a, j, cols, b);
        kernel_->multiply(tile_);
        if (kernel_->finish_waiting) finish_last();
        if (!is_last) return;
        last_i_ = i, last_j_ = j, last_rows_ = rows, last_cols_ = cols;
        if (!kernel_->finish_waiting) finish_last();
    }
    void finish_waiting() {
        if (kernel_->finish_waiting && state_.is_waiting) kernel_->finish_waiting(state_);
        finish_last();
    }

private:
    void place(std::int64_t i, std::int64_t rows, const std::byte* a, std::int64_t j, std::int64_t cols,
               const std::byte* b) {
        tile_.a = a;
        tile_.b = b;
        tile_.c.data = c_.at(i, j);
        tile_.c.rows = tile_.a_rows.rows = rows;
        tile_.c.cols = tile_.b_cols.cols = cols;
        tile_.a_rows.data = a_rows_.at(i, 0);
        tile_.b_cols.data = b_cols_.at(0, j);
    }
    void finish_last() {
        if (last_rows_ > 0) finisher_.after(block_.c, last_i_, last_j_, last_rows_, last_cols_);
        last_rows_ = 0;
    }

    const OrientedKernel& kernel_;
    const BlockFinisher& finisher_;
    const Call& block_;
    const bool is_walking_rows_;
    TileState state_;
    PanelTile tile_;
    const Matrix a_rows_, b_cols_, c_;                                      ///< all of the block, as the kernel sees it
    std::int64_t last_i_ = 0, last_j_ = 0, last_rows_ = 0, last_cols_ = 0;  ///< no rows: there is none
};

/// The innermost loops: every panel of a packed block of A times every panel of a packed block of B. A panel of B, or a
/// chunk of it, stays in L1 while the panels of A stream past it from L2 and the next panel of B is fetched.
void multiply_block(const OrientedKernel& kernel, const PanelSizes& cut, const Call& block, const std::byte* a,
                    const std::byte* b, float* partials, bool is_turned, const BlockFinisher& finisher) {
    const std::int64_t k = block.k(), tiles_of_a_panel = ceil_div(block.m(), kernel.mr) * ceil_div(k, cut.chunk);
    const std::size_t part = cut.b_panel / static_cast<std::size_t>(tiles_of_a_panel);
    Tiles tiles(kernel, block, is_turned, finisher);
    for (std::int64_t j = 0; j < block.n(); j += kernel.nr, b += cut.b_panel) {
        const std::byte* next = b + cut.b_panel;
        const std::int64_t cols = std::min<std::int64_t>(kernel.nr, block.n() - j);
        const std::size_t ahead = j + kernel.nr < block.n() ? part : 0;
        for (std::int64_t p = 0; p < k; p += cut.chunk) {
            tiles.set({p, cut.chunk, k, partials});
            const std::byte* panel = a;
            float* partial = partials;
            for (std::int64_t i = 0; i < block.m(); i += kernel.mr, panel += cut.a_panel, next += part) {
                const std::int64_t rows = std::min<std::int64_t>(kernel.mr, block.m() - i);
                tiles.multiply(i, rows, panel, j, cols, b, partial, next, ahead);
                partial += partials ? kernel.mr * kernel.nr : 0;
            }
        }
    }
    tiles.finish_waiting();
}

}  // namespace
}  // namespace tw::cpu
