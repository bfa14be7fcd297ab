// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/panels/macro_kernel.hpp"

#include "backend/cpu/panels/block.hpp"
#include "backend/cpu/panels/shared_panels.hpp"
#include "backend/cpu/product/grid.hpp"
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

/// A part of C by one thread: one block of columns of B after another, block of k by block of k; by each of them all
/// blocks of A.
void run_alone(const OrientedKernel& kernel, const Call& call, bool turned, const Finisher& finisher, const Cut& cut,
               const Part& own, std::byte* b_block) {
    const std::int64_t m = call.m(), n = call.n(), k = call.k(), below = own.i + own.rows, right = own.j + own.cols;
    std::byte* const a_block = b_block + cut.b_bytes(kernel);
    float* const partials = cut.partial ? reinterpret_cast<float*>(a_block + cut.a_panels_bytes(kernel)) : nullptr;
    const bool packed_a = call.packed.panels && call.packed.on_left, packed_b = call.packed.panels && !packed_a;
    const PackedOperand whole(*kernel.operator->(), packed_a ? m : n, k, packed_a);
    const std::int64_t some_cols = kernel.nr * kernel->panels_at_once, some_rows = kernel.mr * kernel->panels_at_once;

    for (std::int64_t j = own.j; j < right; j += cut.nc)
        for (std::int64_t p = 0; p < k; p += cut.kc) {
            const std::int64_t cols = std::min(cut.nc, right - j), depth = std::min(cut.kc, k - p);
            for (std::int64_t q = 0; q < cols && !packed_b; q += some_cols)
                kernel.pack_b(call.b.block(p, j + q, depth, std::min(some_cols, cols - q)),
                              b_block + static_cast<std::size_t>(q / kernel.nr) * cut.b_panel, cut.b_panel);
            if (kernel->begin) kernel->begin();
            for (std::int64_t i = own.i; i < below; i += cut.mc) {
                const std::int64_t rows = std::min(cut.mc, below - i);
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

/// Parts of C whose threads pack what they meet themselves, and wait for nobody. Few rows or columns of C: each element
/// of the large operand is met by a panel or two, so that panels for all would cost its way through memory twice more.
/// Small products: panels that come from other cores' caches, and waiting for them, take longer than packing.
struct OwnParts {
    std::int64_t rows, cols;  // of a part of C; 0: panels are shared
    bool are_few_lines;

    OwnParts(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, int threads)
        : rows(m), cols(n) {
        constexpr std::int64_t most = 64, parts_of_a_thread = 4, at_least = 4;  // times as many lines as are few
        const bool few_rows = m <= n;
        const std::int64_t few = std::min(m, n), unit = few_rows ? kernel.nr : kernel.mr;
        std::int64_t& longer = few_rows ? cols : rows;
        longer = round_up(std::max(ceil_div(longer, parts_of_a_thread * threads), at_least * few), unit);
        are_few_lines = few <= most && longer * threads <= std::max(m, n) + unit;
        if (are_few_lines) return;
        rows = cols = 0;
        if (is_small(kernel, m, n, k, threads)) cut(kernel, m, n, threads);
    }
    bool are_own() const { return rows > 0; }

private:
    /// One for each thread. Packing an element takes as long as some fifty products.
    void cut(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, int threads) {
        constexpr std::int64_t packing = 50;
        std::int64_t least = INT64_MAX;
        for (int down = 1; down <= threads; ++down) {
            const std::int64_t high = round_up(ceil_div(m, down), kernel.mr),
                               wide = round_up(ceil_div(n, threads / down), kernel.nr);
            const std::int64_t cost = high * wide + packing * (high + wide);
            if (cost < least) least = cost, rows = high, cols = wide;
        }
    }
    /// The fewer bytes panels take, the sooner packing them twice pays.
    static bool is_small(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, int threads) {
        constexpr double products_of_a_byte = 1 << 25;
        const double products = static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
        const auto bytes = static_cast<double>(kernel->panel_bytes(kernel.nr, k));
        return threads > 1 && products * bytes / static_cast<double>(kernel.nr * k) < products_of_a_byte * threads;
    }
};

void run_own_parts(const OrientedKernel& kernel, const Call& call, bool turned, const Finisher& finisher,
                   const Tile& blocks, const OwnParts& parts) {
    const std::int64_t m = call.m(), n = call.n(), across = ceil_div(n, parts.cols);
    const Cut cut(kernel, parts.rows, parts.cols, call.k(), blocks);
    const std::size_t room = cut.bytes(kernel);
    share_out(call, across * ceil_div(m, parts.rows), [&](int worker, std::int64_t item) {
        const std::int64_t i = item / across * parts.rows, j = item % across * parts.cols;
        run_alone(kernel, call, turned, finisher, cut, {i, j, std::min(parts.rows, m - i), std::min(parts.cols, n - j)},
                  call.scratch.data() + static_cast<std::size_t>(worker) * room);
    });
}

std::size_t own_parts_bytes(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k,
                            const Tile& blocks, int threads) {
    const OwnParts parts(kernel, m, n, k, threads);
    return parts.are_own()
               ? Cut(kernel, parts.rows, parts.cols, k, blocks).bytes(kernel) * static_cast<std::size_t>(threads)
               : 0;
}

}  // namespace

std::size_t hierarchy_scratch_bytes(const PanelKernel& kernel, const Problem& p, const Tile& blocks, int threads) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    const OrientedKernel oriented(kernel);
    if (workers > 1)
        return std::max({shared_panels_bytes(kernel, p, blocks, workers),
                         own_parts_bytes(oriented, p.m, p.n, p.k, blocks, workers),
                         own_parts_bytes(oriented, p.n, p.m, p.k, blocks, workers)});
    return std::max(Cut(oriented, p.m, p.n, p.k, blocks).bytes(oriented),
                    Cut(oriented, p.n, p.m, p.k, blocks).bytes(oriented));
}

std::size_t hierarchy_bytes_in_slabs(const PanelKernel& kernel, const Problem& p, const Tile& blocks, int threads,
                                     int nodes) {
    const int workers = workers_for(p.m, p.n, p.k, threads);
    const OrientedKernel oriented(kernel);
    const bool are_few = OwnParts(oriented, p.m, p.n, p.k, workers).are_few_lines ||
                         OwnParts(oriented, p.n, p.m, p.k, workers).are_few_lines;
    return workers > 1 && !are_few ? shared_panels_bytes_in_slabs(kernel, p, blocks, workers, nodes) : 0;
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
    const OrientedKernel oriented(kernel);
    const bool turned = oriented.is_turned(call);
    const Call own = turned_if(turned, call);
    const Finisher finisher(call, turned, kernel.slabs);
    const OwnParts parts(oriented, own.m(), own.n(), own.k(), call.threads);
    const std::size_t room = own_parts_bytes(oriented, own.m(), own.n(), own.k(), blocks, call.threads);
    const bool is_tree = kernel.slabs && kernel.slabs->pairs > 0;  // whose nodes are put together in shared panels
    const bool are_own =
        !is_tree && parts.are_own() && room <= call.scratch.size();  // a part of a larger product may have less
    if (call.threads > 1 && !are_own) return run_on_shared_panels(kernel, call, blocks);
    if (call.threads > 1) run_own_parts(oriented, own, turned, finisher, blocks, parts);
    else
        run_alone(oriented, own, turned, finisher, Cut(oriented, own.m(), own.n(), own.k(), blocks),
                  {0, 0, own.m(), own.n()}, own.scratch.data());
    return {};
}

}  // namespace tw::cpu
