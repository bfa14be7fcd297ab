// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a product may lose: relative to |alpha||A||B| + |beta||C0|, and besides, by the largest of a row of A and of a
// column of B, where elements are so small that their type has no more bits.
#pragma once

#include <algorithm>
#include <bit>

#include "backend/contract.hpp"
#include "base/element.hpp"
#include "plan/slabs.hpp"

namespace tw {

struct Losses {
    double flush = 0;  ///< its scheme's
    double least = 0;  ///< an operand's element below counts as this much

    bool is_empty() const noexcept { return flush == 0 && least == 0; }
};

/// CUDA's matrix units align the product of a subnormal f16 or bf16 as if it were the smallest normal number, and so
/// keep as many bits less of it as it has.
inline Losses losses_of(const Kernel& kernel, Place place) noexcept {
    const bool aligns_subnormals = place == Place::cuda && (kernel.in == Type::f16 || kernel.in == Type::bf16);
    const Range range = range_of(kernel.in);
    return {kernel.scheme->flush_loss, aligns_subnormals ? range.least / (2 * range.unit) : 0};
}

/// Of a real product's plan. The sums of slabs are rounded, and added in their tree; alpha and beta come after it, each
/// with roundings of its own, which the certificate of a kernel that sums in f64 does not have.
inline double certificate_of(const Plan& plan) noexcept {
    const int slabs = std::max(1, plan.options.slabs);
    const std::int64_t k = plan.problem.k;
    double own = certificate(*plan.kernel, std::max<std::int64_t>(1, longest_slab(k, slabs)));
    if (plan.of_shorter)
        own = std::max(own, certificate(*plan.of_shorter, std::max<std::int64_t>(1, shortest_slab(k, slabs))));
    if (slabs == 1) return own;
    const int roundings =
        std::countr_zero(static_cast<unsigned>(slabs)) + (plan.options.alpha != 1) + 2 * (plan.options.beta != 0);
    const double tree = gamma(roundings, sum_type(plan.problem.in) == Type::f64 ? unit_f64 : unit_f32);
    return own + tree + own * tree;
}

}  // namespace tw
