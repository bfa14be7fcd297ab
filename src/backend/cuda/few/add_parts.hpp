// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The second kernel of products whose k is cut: it adds the parts' sums by a tree of pairs, and finishes C.
#pragma once

#include "backend/contract.hpp"
#include "backend/cuda/tiles/chip_of_parts.hpp"

namespace tw::cuda {

/// Sums of f32, f64 or complex numbers, for each element of C as many as there are parts. `first_k`: what of k is in
/// none of them.
struct PartsOfSums {
    const void* first;
    std::int64_t row_step, col_step, apart, of_product;  ///< elements; from part to part, from product to product
    int count;                                           ///< a power of two, at most 128
    int first_k;
};

/// Threads of the second kernel for an element: as many as fill a chip, add 16 parts each at most and have few steps of
/// what is left.
constexpr int teams_of(std::int64_t m, std::int64_t n, int count, std::int64_t left) {
    constexpr std::int64_t of_a_chip = parts::chip * 2048;
    int teams = 1;
    while (teams < 8 && teams < count && (teams * m * n < of_a_chip || teams * 16 < count || teams * 16 < left))
        teams *= 2;
    return teams;
}

/// C from them; the call's operands are read for what is left of k.
Status add_parts(const Call& call, const PartsOfSums& sums) noexcept;

}  // namespace tw::cuda
