// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/slabs.hpp"

#include "backend/contract.hpp"
#include "scheme/scheme.hpp"

namespace tw {

Problem problem_of_slab(const Problem& whole, int slabs, std::int64_t length) noexcept {
    Problem slab = whole;
    slab.k = length;
    if (slab.accuracy.rule == Accuracy::Rule::number)
        slab.accuracy.value -= gamma(most_levels, part_of(whole.in) == Type::f64 ? unit_f64 : unit_f32);
    if (slabs == 1) return slab;
    slab.out = sum_type(whole.in);
    if (slab.c == Form::strided) slab.c = Form::row_major;
    return slab;
}

bool widens_all_slabs(const Plan& plan) noexcept {
    const Type in = plan.problem.in;
    return plan.kernel->in != in && (!plan.of_shorter || plan.of_shorter->in != in);
}

}  // namespace tw
