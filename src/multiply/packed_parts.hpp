// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The private parts of a Packed, for the code that makes and runs it.
#pragma once

#include <algorithm>

#include "backend/contract.hpp"
#include "tilewright/packed.hpp"

namespace tw {

struct PackedParts {
    /// For the plan's kernel, with the operand's shape; the Packed owns `memory` from now on.
    static Packed make(const Plan& plan, const Matrix& operand, const PackedPanels& where, std::byte* memory,
                       std::size_t bytes) noexcept {
        Packed made;
        made.memory_ = decltype(made.memory_)(memory, Packed::Free(plan.backend->free));
        made.bytes_ = bytes;
        made.shape_ = {nullptr, operand.type, operand.rows, operand.cols, operand.cols};
        made.shape_.is_conj = plan.backend->alloc && operand.is_conj;  // a host's panels hold the conjugates
        made.backend_ = plan.backend;
        made.kernel_ = plan.kernel;
        made.tile_ = plan.tile;
        made.is_a_ = where.is_a;
        made.on_left_ = where.on_left;
        made.slabs_ = std::max(1, plan.options.slabs);
        return made;
    }

    /// The type of a kernel's panels of an operand. Slabs are of the kernel's own type.
    static Type elements_of(const Kernel& kernel, Type operand, int slabs) noexcept {
        return kernel.widens && slabs <= 1 && size_of(operand) == 2 ? operand : kernel.in;
    }

    static const Kernel* kernel(const Packed& p) noexcept { return p.kernel_; }
    static const Backend* backend(const Packed& p) noexcept { return p.backend_; }
    static int slabs(const Packed& p) noexcept { return p.slabs_; }
    static const Tile& tile(const Packed& p) noexcept { return p.tile_; }
    static PackedPanels panels(const Packed& p) noexcept {
        return {p.memory_.get(), p.is_a_, p.on_left_, elements_of(*p.kernel_, p.shape_.type, p.slabs_)};
    }

    /// Its shape as a matrix. The address is only there to be compared: the memory does not hold the elements as such.
    static Matrix matrix(const Packed& p) noexcept {
        Matrix m = p.shape_;
        m.data = p.memory_.get();
        return m;
    }
};

/// One slab of k after the other, each where run_slabs() looks for it; `operand` is of the panels' type. A device's
/// kernel says what failed in the scratch of its settings, and is waited for.
Status pack_slabs(const Plan& plan, const Matrix& operand, const PackedPanels& where, std::byte* memory) noexcept;

}  // namespace tw
