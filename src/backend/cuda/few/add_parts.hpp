// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The second kernel of products whose k is cut: it adds the parts' sums by a tree of pairs, and finishes C.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// Sums of f32 or f64, for each element of C as many as there are parts. `first_k`: what of k is in none of them.
struct PartsOfSums {
    const void* first;
    std::int64_t row_step, col_step, apart, of_product;  ///< elements; from part to part, from product to product
    int count;                                           ///< a power of two, at most 128
    int first_k;
};

/// C from them; the call's operands are read for what is left of k.
Status add_parts(const Call& call, const PartsOfSums& sums) noexcept;

}  // namespace tw::cuda
