// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/panels/shared_panels.hpp"

#include "backend/cpu/panels/block.hpp"
#include "backend/cpu/panels/cells.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/stages.hpp"

namespace tw::cpu {
namespace {

constexpr std::size_t most_bytes = std::size_t{128} << 20;   // of panels at a time, if one block of k takes less
constexpr std::size_t most_bytes_in_slabs = 2 * most_bytes;  // where they must be there all at a time
/// Lines of a cell on the side whose panels stream past: short blocks of k add to C often, which is to stay in L2.
constexpr std::int64_t most_lines(std::int64_t kc) { return std::clamp<std::int64_t>(kc, 256, 1024); }

/// A product's k and C, for the loops: k may be nodes of a tree of slabs, so many, whose sums are of so many bytes.
struct Extent {
    std::int64_t m, n, k;
    int nodes = 1;
    std::size_t of_sum = sizeof(float);

    int matrices() const { return SlabSteps::levels(nodes / 2); }  // of sums that wait
};

struct Layout : PanelSizes {
    std::int64_t a_panels, b_panels, depth, k_blocks, at_once;  // at_once: blocks of k that are in panels at a time
    Cells cells;
    std::size_t sums;  // of a cell, in bytes

    Layout(const OrientedKernel& kernel, const Extent& of, const Tile& of_c, int threads)
        : PanelSizes(kernel, of.k / of.nodes),
          a_panels(ceil_div(of.m, kernel.mr)),
          b_panels(ceil_div(of.n, kernel.nr)),
          depth(of.nodes > 1 ? of.k / of.nodes : kc),
          k_blocks(ceil_div(of.k, depth)),
          at_once(of.nodes > 1
                      ? of.nodes
                      : block_size(k_blocks,
                                   std::max<std::int64_t>(1, static_cast<std::int64_t>(most_bytes / one_block())), 1)),
          cells({a_panels, kernel.mr, panels_in(kernel.blocks(of_c, kc).m, kernel.mr)},
                {b_panels, kernel.nr, panels_in(most_lines(kc) / (1 + of.matrices()), kernel.nr)}, threads),
          sums(in_lines(static_cast<std::size_t>(cells.high * kernel.mr * cells.wide * kernel.nr) * of.of_sum)),
          matrices_(of.matrices()) {}

    std::size_t one_block() const { return a_bytes() + b_bytes(); }
    std::size_t a_bytes() const { return static_cast<std::size_t>(a_panels) * a_panel; }  // of one block of k
    std::size_t b_bytes() const { return static_cast<std::size_t>(b_panels) * b_panel; }
    std::size_t partials() const { return in_lines(static_cast<std::size_t>(cells.high) * partial); }
    std::size_t own_bytes() const { return partials() + static_cast<std::size_t>(matrices_) * sums; }
    std::size_t bytes(int threads) const {
        return static_cast<std::size_t>(at_once) * one_block() + static_cast<std::size_t>(threads) * own_bytes();
    }

private:
    int matrices_;

    static std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }
    static std::int64_t panels_in(std::int64_t lines, int width) { return std::max<std::int64_t>(1, lines / width); }
};

/// An operand's panels, block of k by block of k: packed here, some blocks at a time, or ahead of time, all of them.
struct Side {
    const std::byte* ready;  // null: packed into `room`
    std::byte* room;
    std::int64_t panels, groups;  // groups: of panels that are packed together
    std::size_t panel_bytes;

    std::size_t offset(std::int64_t block, std::int64_t panel) const {
        return static_cast<std::size_t>(block * panels + panel) * panel_bytes;
    }
    /// `first`: the block of k whose panels come first in the room.
    const std::byte* at(std::int64_t first, std::int64_t block, std::int64_t panel) const {
        return ready ? ready + offset(first + block, panel) : room + offset(block, panel);
    }
};

class SharedPanels {
public:
    /// `tree`: of slabs, whose nodes are blocks of k; null: there is none.
    SharedPanels(const OrientedKernel& kernel, const Call& call, bool turned, const Finisher& finisher,
                 const Layout& layout, const SlabSteps* tree)
        : kernel_(kernel),
          call_(call),
          turned_(turned),
          finisher_(finisher),
          of_(layout),
          tree_(tree),
          stages_(call.threads) {
        const std::int64_t panels = (of_.a_panels + of_.b_panels) * of_.at_once;
        group_ = std::clamp<std::int64_t>(panels / (4 * call.threads), 1, kernel->panels_at_once);
        std::byte* const room = call.scratch.data();
        const auto blocks = static_cast<std::size_t>(of_.at_once);
        a_ = side(true, of_.a_panels, of_.a_panel, room);
        b_ = side(false, of_.b_panels, of_.b_panel, room + blocks * of_.a_bytes());
        own_ = room + blocks * of_.one_block();
        rounds_ = ceil_div(of_.k_blocks, of_.at_once);
    }

    /// For each round of blocks of k a stage of groups to be packed, then one of cells.
    std::int64_t items() const { return first_of(rounds_ - 1) + packs_of(rounds_ - 1) + of_.cells.count(); }

    void work(int worker) {
        for (std::int64_t round = 0; round < rounds_; ++round) {
            const std::int64_t packs = packs_of(round), cells = of_.cells.count();
            share(2 * round + 1, packs, first_of(round), worker, [&](std::int64_t item) { pack(round, item); });
            share(2 * round + 2, cells, first_of(round) + packs, worker,
                  [&](std::int64_t item) { multiply(round, item, worker); });
        }
    }

    /// The same for an executor, whose tasks never wait for one another.
    void work_in_stages() const {
        for (std::int64_t round = 0; round < rounds_; ++round) {
            share_out(call_, packs_of(round), [&](int, std::int64_t item) { pack(round, item); });
            share_out(call_, of_.cells.count(), [&](int worker, std::int64_t cell) { multiply(round, cell, worker); });
        }
    }

private:
    /// What is left of a stage, which waits for all items before it.
    template <class Body>
    void share(std::int64_t stage, std::int64_t items, std::int64_t before, int worker, const Body& body) {
        int at = stages_.home_of(worker);
        for (std::int64_t item; (item = stages_.take(stage, items, at)) >= 0; stages_.complete()) {
            stages_.wait_for(before);
            body(item);
        }
    }
    Side side(bool is_a, std::int64_t panels, std::size_t panel_bytes, std::byte* room) const {
        const bool is_ready = call_.packed.panels && call_.packed.on_left == is_a;
        return {is_ready ? call_.packed.panels : nullptr, room, panels, is_ready ? 0 : ceil_div(panels, group_),
                panel_bytes};
    }
    std::int64_t blocks_of(std::int64_t round) const {
        return std::min(of_.at_once, of_.k_blocks - round * of_.at_once);
    }
    std::int64_t packs_of(std::int64_t round) const { return blocks_of(round) * (a_.groups + b_.groups); }
    std::int64_t first_of(std::int64_t round) const { return round * (packs_of(0) + of_.cells.count()); }

    void pack(std::int64_t round, std::int64_t item) const {
        const std::int64_t block = item / (a_.groups + b_.groups), group = item % (a_.groups + b_.groups);
        const std::int64_t p = (round * of_.at_once + block) * of_.depth, depth = std::min(of_.depth, call_.k() - p);
        if (group < a_.groups) {
            const std::int64_t panel = group * group_, i = panel * kernel_.mr;
            kernel_.pack_a(call_.a.block(i, p, std::min(group_ * kernel_.mr, call_.m() - i), depth),
                           a_.room + a_.offset(block, panel), of_.a_panel);
        } else {
            const std::int64_t panel = (group - a_.groups) * group_, j = panel * kernel_.nr;
            kernel_.pack_b(call_.b.block(p, j, depth, std::min(group_ * kernel_.nr, call_.n() - j)),
                           b_.room + b_.offset(block, panel), of_.b_panel);
        }
    }
    /// A cell, over all blocks of k that lie in panels.
    void multiply(std::int64_t round, std::int64_t cell, int worker) const {
        const Cells& cells = of_.cells;
        const std::int64_t row = cell / cells.across * cells.high, col = cell % cells.across * cells.wide;
        const std::int64_t i = row * kernel_.mr, j = col * kernel_.nr, first = round * of_.at_once;
        const std::int64_t rows = std::min(cells.high * kernel_.mr, call_.m() - i),
                           cols = std::min(cells.wide * kernel_.nr, call_.n() - j);
        std::byte* const own = own_ + static_cast<std::size_t>(worker) * of_.own_bytes();
        float* const partials = of_.partial ? reinterpret_cast<float*>(own) : nullptr;
        if (kernel_->begin) kernel_->begin();
        for (std::int64_t block = 0; block < blocks_of(round); ++block) {
            const std::int64_t p = (first + block) * of_.depth, depth = std::min(of_.depth, call_.k() - p);
            Call part = call_;
            part.a = call_.a.block(i, p, rows, depth);
            part.b = call_.b.block(p, j, depth, cols);
            part.c = call_.c.block(i, j, rows, cols);
            const std::byte *a = a_.at(first, block, row), *b = b_.at(first, block, col);
            if (tree_) {
                multiply_node(part, block, a, b, partials, own + of_.partials());
                continue;
            }
            if (p != 0) part.beta = 1;
            multiply_block(kernel_, of_, part, a, b, partials, turned_, {finisher_, p + depth == call_.k(), i, j});
        }
        if (kernel_->end) kernel_->end();
    }
    /// A cell's node: where its sums go, and what is added to them while a tile of them is in the first cache.
    void multiply_node(Call& part, std::int64_t block, const std::byte* a, const std::byte* b, float* partials,
                       std::byte* memory) const {
        const SlabSteps::Step& pair = tree_->of_pairs[block / 2];
        const bool by_columns = kernel_->walks_rows, is_second = block % 2 != 0;
        const Matrix c = by_columns ? part.c.transposed() : part.c;  // as tiles see it
        const auto sums = [&](int number) {
            return Matrix{memory + static_cast<std::size_t>(number) * of_.sums, c.type, c.rows, c.cols, c.cols};
        };
        Matrix waiting[SlabSteps::most_levels];
        SlabSteps adding;
        adding.addends = waiting;
        for (int number = 0; number < tree_->matrices() && is_second; ++number)
            if (pair.plus >> number & 1) waiting[adding.addend_count++] = sums(number);
        if (pair.into != SlabSteps::into_c) part.c = by_columns ? sums(pair.into).transposed() : sums(pair.into);
        part.beta = is_second ? 1 : 0;
        const Finisher adder(call_, by_columns, &adding);
        multiply_block(kernel_, of_, part, a, b, partials, turned_, {adder, is_second, 0, 0});
    }

    const OrientedKernel& kernel_;
    const Call& call_;
    const bool turned_;
    const Finisher& finisher_;
    const Layout& of_;
    const SlabSteps* const tree_;
    Side a_{}, b_{};
    std::byte* own_;
    std::int64_t group_, rounds_;
    Stages stages_;
};

}  // namespace

std::size_t shared_panels_bytes(const PanelKernel& of, const Problem& p, const Tile& blocks, int threads) {
    const OrientedKernel kernel(of);
    return std::max(Layout(kernel, {p.m, p.n, p.k}, blocks, threads).bytes(threads),
                    Layout(kernel, {p.n, p.m, p.k}, blocks, threads).bytes(threads));
}

std::size_t shared_panels_bytes_in_slabs(const PanelKernel& of, const Problem& p, const Tile& blocks, int threads,
                                         int nodes) {
    const OrientedKernel kernel(of);
    const Layout one(kernel, {p.m, p.n, p.k, nodes, size_of(p.out)}, blocks, threads),
        other(kernel, {p.n, p.m, p.k, nodes, size_of(p.out)}, blocks, threads);
    const bool all_at_once =
        one.kc >= one.depth && other.kc >= other.depth &&
        std::max(one.one_block(), other.one_block()) * static_cast<std::size_t>(nodes) <= most_bytes_in_slabs;
    return all_at_once ? std::max(one.bytes(threads), other.bytes(threads)) : 0;
}

Status run_on_shared_panels(const PanelKernel& of, const Call& given, const Tile& blocks) {
    const OrientedKernel kernel(of);
    const bool turned = kernel.is_turned(given);
    const Call call = turned_if(turned, given);
    const Finisher finisher(given, turned, of.slabs);
    const SlabSteps* const tree = of.slabs && of.slabs->pairs > 0 ? of.slabs : nullptr;
    const Layout layout(kernel, {call.m(), call.n(), call.k(), tree ? tree->nodes() : 1, size_of(call.c.type)}, blocks,
                        call.threads);
    SharedPanels shared(kernel, call, turned, finisher, layout, tree);
    if (call.executor) shared.work_in_stages();
    else
        share_out(call, std::min<std::int64_t>(call.threads, shared.items()),
                  [&](int worker, std::int64_t) { shared.work(worker); });
    return {};
}

}  // namespace tw::cpu
