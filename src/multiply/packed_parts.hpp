// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The inside of a Packed, for those that make it and run it.
#pragma once

#include "backend/contract.hpp"
#include "tilewright/packed.hpp"

namespace tw {

struct PackedParts {
    /// What it was made of: the plan's kernel, for `which` operand, whose shape is told; `memory` becomes its own.
    static Packed make(const Plan& plan, const Matrix& operand, const PackedPanels& where, std::byte* memory,
                       std::size_t bytes) noexcept {
        Packed made;
        made.memory_.reset(memory);
        made.bytes_ = bytes;
        made.shape_ = {nullptr, operand.type, operand.rows, operand.cols, operand.cols};
        made.backend_ = plan.backend;
        made.kernel_ = plan.kernel;
        made.tile_ = plan.tile;
        made.is_a_ = where.is_a;
        made.on_left_ = where.on_left;
        return made;
    }

    static const Kernel* kernel(const Packed& p) noexcept { return p.kernel_; }
    static const Backend* backend(const Packed& p) noexcept { return p.backend_; }
    static const Tile& tile(const Packed& p) noexcept { return p.tile_; }
    static PackedPanels panels(const Packed& p) noexcept { return {p.memory_.get(), p.is_a_, p.on_left_}; }

    /// The matrix that it stands for, as far as its shape goes: where it begins there are no elements of it.
    static Matrix matrix(const Packed& p) noexcept {
        Matrix m = p.shape_;
        m.data = p.memory_.get();
        return m;
    }
};

}  // namespace tw
