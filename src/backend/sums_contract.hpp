// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a backend with memory of its own brings for products whose result is checked there: the sums of C's rows, under
// signs of their own, beside those that A and B say they must be. All in f64, on the stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "tilewright/status.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// How far a sum may be off, added up from three sources.
struct Allowance {
    double of_sizes = 0;  ///< times |alpha||A||B| + |beta||C0|, summed likewise
    double of_seen = 0;   ///< times |C|, summed likewise
    double floor = 0;
};

/// Of a real product. Operands lie in the device's memory.
struct SumsOf {
    Matrix a, b, c;
    double alpha = 1, beta = 0;
};

struct SumsOff {
    bool off = false;     ///< some row is further off than allowed
    bool silent = false;  ///< of some row nothing can be told: an Inf or NaN, or sums beyond the type's range
};

struct ProductSums {
    /// Of the device's memory, for one product from expect() to the last compare().
    std::size_t (*bytes)(std::int64_t m, std::int64_t k);
    /// What C's sums must be; before the product, since C0 is read unless beta is 0.
    Status (*expect)(const SumsOf& product, std::span<std::byte> memory, void* stream);
    /// What they are. Waits for the stream.
    Status (*compare)(const SumsOf& product, const Allowance& allowed, std::span<std::byte> memory, void* stream,
                      SumsOff& found);
};

}  // namespace tw
