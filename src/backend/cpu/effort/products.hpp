// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Products of the effort dial as tiles of outputs, each by one thread from its first entry to its last. Nothing is
// added across threads, so the bits don't depend on how many there are.
#pragma once

#include "backend/cpu/effort/kernels.hpp"
#include "backend/effort_contract.hpp"

namespace tw::cpu {

/// `whole` does what is rounded finely, neighbouring products of one expert that read everything together; null:
/// `multiply` does all.
void multiply_tiles(const EffortCall& call, void (*multiply)(const EffortTile&),
                    void (*whole)(const EffortWholeTile&)) noexcept;

/// By the dense copy; neighbouring products of one expert read it together.
void multiply_densely(const EffortCall& call, void (*multiply)(const EffortDenseTile&)) noexcept;

/// EffortKernel::run of a tile's kernel.
template <void (*multiply)(const EffortTile&), void (*whole)(const EffortWholeTile&) = nullptr>
Status run_tiles(const EffortCall& call) {
    multiply_tiles(call, multiply, whole);
    return {};
}
template <void (*multiply)(const EffortDenseTile&)>
Status run_densely(const EffortCall& call) {
    multiply_densely(call, multiply);
    return {};
}

/// Products that are prepared together: the experts of a token, or a few vectors.
inline constexpr int most_products_of_tiles = 16, most_dense_products = 1 << 20;

}  // namespace tw::cpu
