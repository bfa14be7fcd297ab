// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/panels/macro_kernel.hpp"

#include <utility>

#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/product/product.hpp"

namespace tw::cpu {
namespace {

/// A panel's own bytes; each begins on a line of its own.
std::size_t panel_room(const PanelKernel& kernel, int width, std::int64_t kc) {
    constexpr std::size_t line = 64;
    return (kernel.panel_bytes(width, kc) + line - 1) / line * line;
}

/// A kernel as the loops see it, that always walk along columns: of C, which is read along its rows and so computed as
/// C^T = B^T A^T where it is column-major, or, if the kernel walks rows, where it is not.
class Walk {
public:
    explicit Walk(const PanelKernel& kernel) : mr(kernel.mr), nr(kernel.nr), kernel_(kernel) {
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

/// The shape of one product's blocks: as equal as they can be, and enough of them for the threads.
struct Cut {
    std::int64_t mc, nc, kc;  // a block of A is mc x kc, one of B kc x nc
    std::int64_t group;       // columns of B's block that one item of work meets
    std::int64_t chunk;       // of kc
    std::size_t a_panel, b_panel, partial;

    Cut(const Walk& kernel, std::int64_t m, std::int64_t n, std::int64_t k, const Tile& of_c, int threads) {
        kc = kernel->k_block(k);
        const Tile blocks = kernel.blocks(of_c, kc);
        const std::int64_t a_panels = ceil_div(m, kernel.mr);
        std::int64_t m_blocks = ceil_div(m, blocks.m);
        if (threads > 1) m_blocks = std::min(round_up(m_blocks, threads), a_panels);
        mc = round_up(ceil_div(m, m_blocks), kernel.mr);
        nc = block_size(n, blocks.n, kernel.nr);
        group = ceil_div(m, mc) >= threads ? nc : block_size(nc, ceil_div(nc, threads), kernel.nr);
        a_panel = panel_room(*kernel.operator->(), kernel.mr, kc);
        b_panel = panel_room(*kernel.operator->(), kernel.nr, kc);
        chunk = kernel->chunk ? kernel->chunk(kc) : kc;
        partial = chunk < kc ? static_cast<std::size_t>(kernel.mr * kernel.nr) * sizeof(float) : 0;
    }
    /// A worker's block of A, and behind it what chunks left of its tiles.
    std::size_t a_bytes(const Walk& kernel) const {
        return static_cast<std::size_t>(mc / kernel.mr) * (a_panel + partial);
    }
    float* partials(std::byte* a_block, const Walk& kernel) const {
        return partial ? reinterpret_cast<float*>(a_block + static_cast<std::size_t>(mc / kernel.mr) * a_panel)
                       : nullptr;
    }
    std::size_t b_bytes(const Walk& kernel) const { return static_cast<std::size_t>(nc / kernel.nr) * b_panel; }
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
    Tiles(const Walk& kernel, const Call& block, bool is_turned, const BlockFinisher& finisher)
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
                .state = kernel->finish_waiting ? &state_ : nullptr},
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

    const Walk& kernel_;
    const BlockFinisher& finisher_;
    const Call& block_;
    const bool is_walking_rows_;
    TileState state_;
    PanelTile tile_;
    const Matrix a_rows_, b_cols_, c_;                                      ///< all of the block, as the kernel sees it
    std::int64_t last_i_ = 0, last_j_ = 0, last_rows_ = 0, last_cols_ = 0;  ///< no rows: there is none
};

/// The innermost loops: every panel of a packed block of A times every panel of a packed block of B. A panel of B, or a
/// chunk of it, stays in L1 while the panels of A stream past it from L2; meanwhile the next one
/// is on its way.
void multiply_block(const Walk& kernel, const Cut& cut, const Call& block, const std::byte* a, const std::byte* b,
                    float* partials, bool is_turned, const BlockFinisher& finisher) {
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

std::size_t hierarchy_scratch_bytes(const PanelKernel& kernel, const Problem& p, const Tile& blocks, int threads) {
    const auto bytes = [&](std::int64_t m, std::int64_t n) {
        const Walk walk(kernel);
        const Cut cut(walk, m, n, p.k, blocks, threads);
        return cut.b_bytes(walk) + static_cast<std::size_t>(threads) * cut.a_bytes(walk);
    };
    return std::max(bytes(p.m, p.n), bytes(p.n, p.m));
}

PackedOperand::PackedOperand(const PanelKernel& kernel, std::int64_t lines, std::int64_t k, bool on_left)
    : width(on_left ? kernel.mr : kernel.nr),
      panels(ceil_div(lines, width)),
      kc(kernel.k_block(k)),
      blocks(ceil_div(k, kc)),
      room(panel_room(kernel, width, kc)) {}

std::size_t hierarchy_packed_bytes(const PanelKernel& kernel, std::int64_t width, std::int64_t k, bool on_left) {
    return PackedOperand(kernel, width, k, on_left).bytes();
}

void pack_hierarchy(const PanelKernel& of, const Matrix& operand, bool on_left, const Call& threads, std::byte* to) {
    const Walk kernel(of);
    const Matrix lines = on_left ? operand : operand.transposed();
    const PackedOperand whole(of, lines.rows, lines.cols, on_left);
    share_out(threads, whole.blocks * whole.panels, [&](int, std::int64_t item) {
        const std::int64_t p = item / whole.panels * whole.kc, first = item % whole.panels * whole.width;
        const Matrix part = lines.block(first, p, std::min<std::int64_t>(whole.width, lines.rows - first),
                                        std::min(whole.kc, lines.cols - p));
        std::byte* const panel = to + whole.offset(p, first);
        on_left ? kernel.pack_a(part, panel, whole.room) : kernel.pack_b(part.transposed(), panel, whole.room);
    });
}

Status run_hierarchy(const PanelKernel& of, const Call& untidy, const Tile& blocks) {
    const Walk kernel(of);
    const bool turned = kernel.is_turned(untidy);
    const Call call = turned_if(turned, untidy);
    const Finisher finisher(untidy, turned);
    const std::int64_t m = call.m(), n = call.n(), k = call.k();
    const Cut cut(kernel, m, n, k, blocks, call.threads);
    std::byte* const b_block = call.scratch.data();
    std::byte* const a_blocks = b_block + cut.b_bytes(kernel);
    const bool packed_a = call.packed.panels && call.packed.on_left, packed_b = call.packed.panels && !packed_a;
    const PackedOperand whole(of, packed_a ? m : n, k, packed_a);

    for (std::int64_t j = 0; j < n; j += cut.nc)
        for (std::int64_t p = 0; p < k; p += cut.kc) {
            const std::int64_t cols = std::min(cut.nc, n - j), depth = std::min(cut.kc, k - p);
            const std::byte* const b_panels = packed_b ? call.packed.panels + whole.offset(p, j) : b_block;
            const std::int64_t some_cols = kernel.nr * kernel->panels_at_once,
                               some_rows = kernel.mr * kernel->panels_at_once;
            share_out(call, packed_b ? 0 : ceil_div(cols, some_cols), [&](int, std::int64_t item) {
                const std::int64_t from = item * some_cols;
                kernel.pack_b(call.b.block(p, j + from, depth, std::min(some_cols, cols - from)),
                              b_block + static_cast<std::size_t>(from / kernel.nr) * cut.b_panel, cut.b_panel);
            });

            const std::int64_t groups = ceil_div(cols, cut.group);
            share_out(call, ceil_div(m, cut.mc) * groups, [&](int worker, std::int64_t item) {
                const std::int64_t i = item / groups * cut.mc, rows = std::min(cut.mc, m - i);
                const std::int64_t from = item % groups * cut.group, width = std::min(cut.group, cols - from);
                std::byte* const a_block = a_blocks + static_cast<std::size_t>(worker) * cut.a_bytes(kernel);
                for (std::int64_t r = 0; r < rows && !packed_a; r += some_rows)
                    kernel.pack_a(call.a.block(i + r, p, std::min(some_rows, rows - r), depth),
                                  a_block + static_cast<std::size_t>(r / kernel.mr) * cut.a_panel, cut.a_panel);
                Call block = call;
                block.a = call.a.block(i, p, rows, depth);
                block.b = call.b.block(p, j + from, depth, width);
                block.c = call.c.block(i, j + from, rows, width);
                if (p != 0) block.beta = 1;
                if (kernel->begin) kernel->begin();
                multiply_block(kernel, cut, block, packed_a ? call.packed.panels + whole.offset(p, i) : a_block,
                               b_panels + static_cast<std::size_t>(from / kernel.nr) * cut.b_panel,
                               cut.partials(a_block, kernel), turned, {finisher, p + depth == k, i, j + from});
                if (kernel->end) kernel->end();
            });
        }
    return {};
}

}  // namespace tw::cpu
