// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the CPU's kernels do for slabs of k (Options::slabs).
#pragma once

#include "backend/contract.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "backend/cpu/product/slab_steps.hpp"
#include "tilewright/types.hpp"

namespace tw::cpu {

/// Whether C = A B + C by this kernel of the CPU is A B, rounded, and then added to C: k is one block, all of which is
/// summed before C is read.
constexpr bool adds_once(const Kernel& kernel, std::int64_t k) noexcept {
    switch (kernel.order) {
        case order_fused_in_blocks:
        case order_in_blocks: return k <= KC<std::byte> / static_cast<std::int64_t>(size_of(kernel.sum));
        case order_of_parts<1>: return k <= unit_k_block<1>(k);
        case order_of_parts<2>: return k <= unit_k_block<2>(k);
        case order_of_parts<3>: return k <= unit_k_block<3>(k);
        default: return false;
    }
}

/// Runs a kernel and adds what the slabs above it gave. With steps, alpha is 1 and k one block.
using RunInSlabs = Status (*)(const Call& call, const Tile& tile, const SlabSteps* slabs);

struct InSlabs {
    RunInSlabs run = nullptr;  ///< null: the kernel knows nothing of slabs
    bool sums = false;         ///< several of them, in a tile's pass
    /// Scratch of a call that takes a whole tree of so many nodes, of one length each; null, or 0: it takes none.
    std::size_t (*bytes)(const Problem&, const Tile&, int threads, int nodes) = nullptr;
};

/// Of r7's rows, of r6's, and of a matrix unit's.
InSlabs hierarchical_in_slabs(const Kernel& kernel) noexcept;
InSlabs vectorized_in_slabs(const Kernel& kernel) noexcept;
InSlabs unit_in_slabs(const Kernel& kernel) noexcept;

inline InSlabs in_slabs(const Kernel& kernel) noexcept {
    if (const InSlabs found = hierarchical_in_slabs(kernel); found.run) return found;
    if (const InSlabs found = vectorized_in_slabs(kernel); found.run) return found;
    return unit_in_slabs(kernel);
}

}  // namespace tw::cpu
