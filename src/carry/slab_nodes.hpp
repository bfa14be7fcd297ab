// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How a product in slabs is cut: k into nodes of the tree, each of which is one call of a kernel, and C into blocks.
#pragma once

#include <algorithm>

#include "backend/cpu/in_slabs.hpp"
#include "carry/cut.hpp"
#include "plan/registry.hpp"
#include "plan/slabs.hpp"

namespace tw {

constexpr int levels_of(int slabs) noexcept { return slabs > 1 ? 1 + levels_of(slabs / 2) : 0; }

inline bool on_host(const Plan& plan) noexcept { return plan.backend->place == Place::host && !plan.backend->copy; }

/// What is one call of a kernel: a node of so many slabs.
struct SlabNodes {
    const SlabProducts* device;  ///< all slabs by one call; null: no
    cpu::RunInSlabs run;         ///< null, without a device's: a kernel takes one slab, and adds what the epilogue does
    int nodes;                   ///< of the tree, in one call of the CPU's kernel: all or one
    int at_once;
    bool pairs;    ///< of two nodes side by side the second is added to what the first one left
    int lowest;    ///< the lowest level whose sums need a matrix
    int matrices;  ///< of partial sums

    SlabNodes(const Plan& plan, const PackedPanels& packed) noexcept
        : device(packed.panels || plan.of_shorter ? nullptr : device_of(plan)),
          run(packed.panels || plan.of_shorter ? nullptr : cpu::in_slabs(*plan.kernel).run),
          nodes(run ? nodes_at_once(*plan.kernel, sums_of(plan), plan.tile, plan.threads, plan.options.slabs) : 1),
          at_once(device || nodes > 1 ? plan.options.slabs
                  : run               ? slabs_at_once(*plan.kernel, plan.problem.k, plan.options.slabs)
                                      : 1) {
        const std::int64_t longest = longest_slab(plan.problem.k, plan.options.slabs / at_once);
        pairs = nodes == 1 && on_host(plan) && cpu::adds_once(*plan.kernel, longest) &&
                (!plan.of_shorter || cpu::adds_once(*plan.of_shorter, longest));
        lowest = levels_of(at_once) + pairs;
        const bool with_beta = plan.options.beta != 0 || plan.options.beta_imag != 0;
        matrices = std::max<int>(levels_of(plan.options.slabs) - lowest, with_beta);
    }

    /// What a kernel does with a call whose k is so long.
    void add_steps(std::int64_t k, cpu::SlabSteps& to) const noexcept {
        const int slabs = at_once / nodes;
        if (slabs > 1) add(static_cast<std::int32_t>(k / nodes), slabs, to.into_c, 0, to.steps, to.count);
        if (nodes > 1) add(nodes / 2, nodes / 2, to.into_c, 0, to.of_pairs, to.pairs);
    }

private:
    static const SlabProducts* device_of(const Plan& plan) noexcept {
        const SlabProducts* found = on_host(plan) ? nullptr : slabs_of(plan.backend->name);
        return found && found->takes(*plan.kernel, plan.problem, plan.options.slabs) ? found : nullptr;
    }
    static void add(std::int32_t k, int slabs, int into, unsigned plus, cpu::SlabSteps::Step* steps,
                    int& count) noexcept {
        if (slabs == 1) {
            steps[count++] = {k, static_cast<std::int8_t>(into), static_cast<std::uint8_t>(plus)};
            return;
        }
        const auto left = static_cast<std::int32_t>(first_half(k));
        if (left == k) return add(k, slabs / 2, into, plus, steps, count);
        const int level = levels_of(slabs) - 1;
        add(left, slabs / 2, level, 0, steps, count);
        add(k - left, slabs / 2, into, plus | 1u << level, steps, count);
    }
    static Problem sums_of(const Plan& plan) noexcept {
        Problem sums = plan.problem;
        sums.out = sum_type(sums.in);
        return sums;
    }
};

/// True when C itself can't hold the root's sums.
inline bool needs_root(const Plan& plan) noexcept {
    const Problem& p = plan.problem;
    const Options& o = plan.options;
    return p.out != sum_type(p.in) || p.c == Form::strided || o.alpha != 1 || o.alpha_imag != 0 || o.beta != 0 ||
           o.beta_imag != 0;
}

/// C cut into blocks. A packed operand is whole, so the side that it has is not cut.
struct SlabBlocks {
    Pieces m, n;

    SlabBlocks(const Plan& plan, const PackedPanels& packed, const SlabNodes& nodes) noexcept
        : m{plan.problem.m, 1}, n{plan.problem.n, 1} {
        const bool by_columns = plan.problem.c == Form::col_major;
        // What a kernel adds in its own pass over C need not stay in a cache: only its size in memory counts.
        const bool has_passes = !nodes.run || needs_root(plan) || !plan.options.epilogue.is_empty();
        if (!has_passes && nodes.matrices == 0) return;
        // On the host the sums of a block stay in the last cache. Its kernels pack what lies across C's rows three
        // times as fast as what lies along them, so a block is longer that way: that operand is packed more often.
        // A device wants large products.
        std::int64_t along = 16384, across = 16384;
        if (on_host(plan)) along = across = plan.threads < 8 ? 2048 : 4096;
        if (on_host(plan) && has_passes) along = 1024, across = 384;
        const std::int64_t rows = by_columns ? along : across, cols = by_columns ? across : along;
        if (!packed.panels || !packed.is_a)
            m.count = std::clamp<std::int64_t>((m.extent + rows - 1) / rows, 1, m.most());
        if (!packed.panels || packed.is_a)
            n.count = std::clamp<std::int64_t>((n.extent + cols - 1) / cols, 1, n.most());
        // Blocks that workers share alike: of three blocks one of two workers would compute two.
        const bool cuts_across = !packed.panels || packed.is_a == by_columns;
        Pieces& side = by_columns ? n : m;
        const std::int64_t most = cuts_across && on_host(plan) && count() >= plan.threads ? side.most() : 0;
        for (std::int64_t more = side.count; more <= std::min(most, 2 * side.count); ++more)
            if (more * (count() / side.count) % plan.threads == 0) {
                side.count = more;
                break;
            }
    }
    std::int64_t count() const noexcept { return m.count * n.count; }
};

}  // namespace tw
