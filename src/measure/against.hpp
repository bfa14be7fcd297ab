// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the rows of one shape say beside each other: our own ways to multiply, and ours against the best peer's.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "measure/rows/compare.hpp"
#include "measure/rows/row.hpp"

namespace tw::measure {

/// Two of our own ways to multiply, compared.
struct Ways {
    const Row *first, *second;
    std::string text;       ///< "reproducible against cpu.r7_hierarchical.f32.avx512"
    Comparison comparison;  ///< of speeds on all threads
};

/// For the rows of one shape.
std::vector<Ways> against_ourselves(const std::vector<Row>& rows, std::size_t first);

/// For the rows of one shape: ours against the best peer.
Comparison against_best_peer(const std::vector<Row>& rows, std::size_t first, const Row** ours, const Row** theirs);

}  // namespace tw::measure
