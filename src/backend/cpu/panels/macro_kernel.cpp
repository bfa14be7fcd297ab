// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/panels/macro_kernel.hpp"

#include "backend/cpu/panels/block.hpp"
#include "backend/cpu/panels/shared_panels.hpp"
#include "backend/cpu/product/parallel.hpp"

namespace tw::cpu {
namespace {

/// One thread's blocks, as equal as they can be: of A mc x kc, of B kc x nc.
struct Cut : PanelSizes {
    std::int64_t mc, nc;

    Cut(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, const Tile& of_c)
        : PanelSizes(kernel, k) {
        const Tile blocks = kernel.blocks(of_c, kc);
        mc = block_size(m, blocks.m, kernel.mr);
        nc = block_size(n, blocks.n, kernel.nr);
    }
    std::size_t a_panels_bytes(const OrientedKernel& kernel) const {
        return static_cast<std::size_t>(mc / kernel.mr) * a_panel;
    }
    std::size_t b_bytes(const OrientedKernel& kernel) const {
        return static_cast<std::size_t>(nc / kernel.nr) * b_panel;
    }
    /// A block of B, one of A, and what chunks left of A's tiles.
    std::size_t bytes(const OrientedKernel& kernel) const {
        return b_bytes(kernel) + a_panels_bytes(kernel) + static_cast<std::size_t>(mc / kernel.mr) * partial;
    }
};

/// One block of columns of B after another, block of k by block of k; by each of them all blocks of A.
void run_alone(const OrientedKernel& kernel, const Call& call, bool turned, const Finisher& finisher,
               const Tile& blocks) {
    const std::int64_t m = call.m(), n = call.n(), k = call.k();
    const Cut cut(kernel, m, n, k, blocks);
    std::byte* const b_block = call.scratch.data();
    std::byte* const a_block = b_block + cut.b_bytes(kernel);
    float* const partials = cut.partial ? reinterpret_cast<float*>(a_block + cut.a_panels_bytes(kernel)) : nullptr;
    const bool packed_a = call.packed.panels && call.packed.on_left, packed_b = call.packed.panels && !packed_a;
    const PackedOperand whole(*kernel.operator->(), packed_a ? m : n, k, packed_a);
    const std::int64_t some_cols = kernel.nr * kernel->panels_at_once, some_rows = kernel.mr * kernel->panels_at_once;

    for (std::int64_t j = 0; j < n; j += cut.nc)
        for (std::int64_t p = 0; p < k; p += cut.kc) {
            const std::int64_t cols = std::min(cut.nc, n - j), depth = std::min(cut.kc, k - p);
            for (std::int64_t q = 0; q < cols && !packed_b; q += some_cols)
                kernel.pack_b(call.b.block(p, j + q, depth, std::min(some_cols, cols - q)),
                              b_block + static_cast<std::size_t>(q / kernel.nr) * cut.b_panel, cut.b_panel);
            if (kernel->begin) kernel->begin();
            for (std::int64_t i = 0; i < m; i += cut.mc) {
                const std::int64_t rows = std::min(cut.mc, m - i);
                for (std::int64_t r = 0; r < rows && !packed_a; r += some_rows)
                    kernel.pack_a(call.a.block(i + r, p, std::min(some_rows, rows - r), depth),
                                  a_block + static_cast<std::size_t>(r / kernel.mr) * cut.a_panel, cut.a_panel);
                Call block = call;
                block.a = call.a.block(i, p, rows, depth);
                block.b = call.b.block(p, j, depth, cols);
                block.c = call.c.block(i, j, rows, cols);
                if (p != 0) block.beta = 1;
                multiply_block(kernel, cut, block, packed_a ? call.packed.panels + whole.offset(p, i) : a_block,
                               packed_b ? call.packed.panels + whole.offset(p, j) : b_block, partials, turned,
                               {finisher, p + depth == k, i, j});
            }
            if (kernel->end) kernel->end();
        }
}

}  // namespace

std::size_t hierarchy_scratch_bytes(const PanelKernel& kernel, const Problem& p, const Tile& blocks, int threads) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    if (workers > 1) return shared_panels_bytes(kernel, p, blocks, workers);
    const OrientedKernel oriented(kernel);
    return std::max(Cut(oriented, p.m, p.n, p.k, blocks).bytes(oriented),
                    Cut(oriented, p.n, p.m, p.k, blocks).bytes(oriented));
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
    const OrientedKernel kernel(of);
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

Status run_hierarchy(const PanelKernel& kernel, const Call& given, const Tile& blocks) {
    Call call = given;
    call.threads = workers_for(given.m(), given.n(), given.k(), given.threads);
    if (call.threads > 1) return run_on_shared_panels(kernel, call, blocks);
    const OrientedKernel oriented(kernel);
    const bool turned = oriented.is_turned(call);
    run_alone(oriented, turned_if(turned, call), turned, Finisher(call, turned), blocks);
    return {};
}

}  // namespace tw::cpu
