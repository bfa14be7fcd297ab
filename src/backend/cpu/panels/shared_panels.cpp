// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/cpu/panels/shared_panels.hpp"

#include "backend/cpu/panels/block.hpp"
#include "backend/cpu/panels/cells.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "base/stages.hpp"

namespace tw::cpu {
namespace {

constexpr std::size_t most_bytes = std::size_t{128} << 20;  // of panels at a time, if one block of k takes less
/// Lines of a cell on the side whose panels stream past: short blocks of k add to C often, which is to stay in L2.
constexpr std::int64_t most_lines(std::int64_t kc) { return std::clamp<std::int64_t>(kc, 256, 1024); }

struct Layout : PanelSizes {
    std::int64_t a_panels, b_panels, k_blocks, at_once;  // at_once: blocks of k that are in panels at a time
    Cells cells;

    Layout(const OrientedKernel& kernel, std::int64_t m, std::int64_t n, std::int64_t k, const Tile& of_c, int threads)
        : PanelSizes(kernel, k),
          a_panels(ceil_div(m, kernel.mr)),
          b_panels(ceil_div(n, kernel.nr)),
          k_blocks(ceil_div(k, kc)),
          at_once(
              block_size(k_blocks, std::max<std::int64_t>(1, static_cast<std::int64_t>(most_bytes / one_block())), 1)),
          cells({a_panels, kernel.mr, panels_in(kernel.blocks(of_c, kc).m, kernel.mr)},
                {b_panels, kernel.nr, panels_in(most_lines(kc), kernel.nr)}, threads) {}

    std::size_t one_block() const { return a_bytes() + b_bytes(); }
    std::size_t a_bytes() const { return static_cast<std::size_t>(a_panels) * a_panel; }  // of one block of k
    std::size_t b_bytes() const { return static_cast<std::size_t>(b_panels) * b_panel; }
    std::size_t own_bytes() const { return static_cast<std::size_t>(cells.high) * partial; }
    std::size_t bytes(int threads) const {
        return static_cast<std::size_t>(at_once) * one_block() + static_cast<std::size_t>(threads) * own_bytes();
    }

private:
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
    SharedPanels(const OrientedKernel& kernel, const Call& call, bool turned, const Finisher& finisher,
                 const Layout& layout)
        : kernel_(kernel), call_(call), turned_(turned), finisher_(finisher), of_(layout) {
        const std::int64_t panels = (of_.a_panels + of_.b_panels) * of_.at_once;
        group_ = std::clamp<std::int64_t>(panels / (4 * call.threads), 1, kernel->panels_at_once);
        std::byte* const room = call.scratch.data();
        const auto blocks = static_cast<std::size_t>(of_.at_once);
        a_ = side(true, of_.a_panels, of_.a_panel, room);
        b_ = side(false, of_.b_panels, of_.b_panel, room + blocks * of_.a_bytes());
        own_ = room + blocks * of_.one_block();
        rounds_ = ceil_div(of_.k_blocks, of_.at_once);
    }

    /// Tickets: for each round of blocks of k, groups to be packed, then cells.
    std::int64_t tickets() const { return first_of(rounds_ - 1) + packs_of(rounds_ - 1) + of_.cells.count(); }

    void work(int worker) {
        const std::int64_t end = tickets();
        for (std::int64_t ticket; (ticket = stages_.take()) < end; stages_.complete()) {
            const std::int64_t round = std::min(ticket / (packs_of(0) + of_.cells.count()), rounds_ - 1);
            const std::int64_t item = ticket - first_of(round), packs = packs_of(round);
            stages_.wait_for(first_of(round) + (item < packs ? 0 : packs));
            item < packs ? pack(round, item) : multiply(round, item - packs, worker);
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
        const std::int64_t p = (round * of_.at_once + block) * of_.kc, depth = std::min(of_.kc, call_.k() - p);
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
            const std::int64_t p = (first + block) * of_.kc, depth = std::min(of_.kc, call_.k() - p);
            Call part = call_;
            part.a = call_.a.block(i, p, rows, depth);
            part.b = call_.b.block(p, j, depth, cols);
            part.c = call_.c.block(i, j, rows, cols);
            if (p != 0) part.beta = 1;
            multiply_block(kernel_, of_, part, a_.at(first, block, row), b_.at(first, block, col), partials, turned_,
                           {finisher_, p + depth == call_.k(), i, j});
        }
        if (kernel_->end) kernel_->end();
    }

    const OrientedKernel& kernel_;
    const Call& call_;
    const bool turned_;
    const Finisher& finisher_;
    const Layout& of_;
    Side a_{}, b_{};
    std::byte* own_;
    std::int64_t group_, rounds_;
    Stages stages_;
};

}  // namespace

std::size_t shared_panels_bytes(const PanelKernel& of, const Problem& p, const Tile& blocks, int threads) {
    const OrientedKernel kernel(of);
    return std::max(Layout(kernel, p.m, p.n, p.k, blocks, threads).bytes(threads),
                    Layout(kernel, p.n, p.m, p.k, blocks, threads).bytes(threads));
}

Status run_on_shared_panels(const PanelKernel& of, const Call& given, const Tile& blocks) {
    const OrientedKernel kernel(of);
    const bool turned = kernel.is_turned(given);
    const Call call = turned_if(turned, given);
    const Finisher finisher(given, turned, of.slabs);
    const Layout layout(kernel, call.m(), call.n(), call.k(), blocks, call.threads);
    SharedPanels shared(kernel, call, turned, finisher, layout);
    if (call.executor) shared.work_in_stages();
    else
        share_out(call, std::min<std::int64_t>(call.threads, shared.tickets()),
                  [&](int worker, std::int64_t) { shared.work(worker); });
    return {};
}

}  // namespace tw::cpu
