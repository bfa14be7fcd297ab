// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What rows have in common that sum elements of one type as they are. A rung sets the rest in its own words: the idea,
// the tiles, the cost, the scratch, run.
#pragma once

#include "backend/contract.hpp"
#include "backend/cpu/product/blocks.hpp"

namespace tw::cpu {

/// From 0, one term after the other, then alpha and C.
template <class T>
double sequential_sum_bound(std::int64_t k) {
    return gamma(static_cast<double>(k) + 2, unit_of<T>);
}

template <class T>
constexpr Kernel sequential_row(const char* name, Rung rung) {
    return {.name = name,
            .rung = rung,
            .in = type_of<T>,
            .out = type_of<T>,
            .sum = type_of<T>,
            .scheme = sizeof(T) == 4 ? &plain_f32 : &plain_f64,
            .sum_bound = sequential_sum_bound<T>};
}

/// In blocks of k, each of which meets C.
template <class T>
constexpr Kernel blocked_row(const char* name, Rung rung, Features needs, int order) {
    Kernel made = sequential_row<T>(name, rung);
    made.needs = needs;
    made.fuses_epilogue = true;
    made.sum_bound = blocked_sum_bound<T>;
    made.order = order;
    return made;
}

}  // namespace tw::cpu
