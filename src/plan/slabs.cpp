// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "plan/slabs.hpp"

#include <algorithm>

#include "backend/contract.hpp"
#include "backend/cpu/in_slabs.hpp"
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

int slabs_at_once(const Kernel& kernel, std::int64_t k, int slabs) noexcept {
    int at_once = 1;
    if (!cpu::in_slabs(kernel).sums) return at_once;
    while (at_once < std::min(slabs, cpu::SlabSteps::most) &&
           cpu::adds_once(kernel, longest_slab(k, slabs / (2 * at_once))))
        at_once *= 2;
    return at_once;
}

int nodes_at_once(const Kernel& kernel, const Problem& sums, const Tile& tile, int threads, int slabs) {
    const int nodes = slabs / slabs_at_once(kernel, sums.k, slabs);
    const auto bytes = cpu::in_slabs(kernel).bytes;
    if (!bytes || nodes < 2 || nodes > cpu::SlabSteps::most || sums.k % nodes != 0) return 1;
    return cpu::adds_once(kernel, sums.k / nodes) && bytes(sums, tile, threads, nodes) > 0 ? nodes : 1;
}

bool widens_all_slabs(const Plan& plan) noexcept {
    const Type in = plan.problem.in;
    return plan.kernel->in != in && (!plan.of_shorter || plan.of_shorter->in != in);
}

}  // namespace tw
