// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What micro-kernels are given: normal numbers, the same ones for a seed.
#pragma once

#include <cstddef>
#include <vector>

#include "support/random_numbers.hpp"

namespace tw::cpu {

template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
    std::mt19937 engine(seed);
    std::normal_distribution<T> normal;
    std::vector<T> filled(count);
    for (T& value : filled) value = normal(engine);
    return filled;
}

}  // namespace tw::cpu
