// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a device's backend may bring beside its ladder: products in slabs of k (Options::slabs) that one call of a
// kernel sums and adds in their tree, with the bits that the kernel gives slab by slab.
#pragma once

#include <cstddef>

#include "tilewright/status.hpp"

namespace tw {

struct Kernel;
struct Problem;
struct Call;

struct SlabProducts {
    /// Of the whole product; C holds sums.
    bool (*takes)(const Kernel&, const Problem&, int slabs);
    std::size_t (*scratch_bytes)(const Kernel&, const Problem&, int slabs);
    /// alpha is 1, beta 0, and there is no epilogue.
    Status (*run)(const Kernel&, const Call&, int slabs);
};

}  // namespace tw
