// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the rows have in common that sum elements of one type, as they are, in blocks of k, and meet C once a block.
#pragma once

#include "backend/contract.hpp"
#include "backend/cpu/blocks.hpp"

namespace tw::cpu {

/// Yet to be set: the idea, the tiles, the cost, the scratch, run.
template <class T>
constexpr Kernel plain_row(const char* name, Rung rung, Features needs, int order) {
    return {.name = name,
            .rung = rung,
            .in = type_of<T>, .out = type_of<T>, .sum = type_of<T>,
            .scheme = sizeof(T) == 4 ? &plain_f32 : &plain_f64,
            .needs = needs,
            .tiles = {},
            .fuses_epilogue = true,
            .idea = nullptr,
            .takes = nullptr,
            .sum_bound = blocked_sum_bound<T>,
            .nanoseconds = nullptr,
            .scratch_bytes = nullptr,
            .run = nullptr,
            .order = order};
}

}  // namespace tw::cpu
