// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Alternatives to the effort dial, computed on the same weights and vectors: quantised formats, which read everything
// at a fixed size, and only the largest inputs of a vector, in f16 or quantised.
#pragma once

#include <span>

#include "measure/effort/data.hpp"

namespace tw::measure {

struct RivalPoint {
    const char* layout;     ///< "q4_0", "q8_0", "teal", "q8_top_k", "q4_top_k"
    double effort;          ///< the share of the inputs that is read
    double bytes_fraction;  ///< of what 16 bits a weight take
    double relative_error;
};

/// q4_0 and q8_0 as in llama.cpp: 32 weights and an f16 scale, 4.5 and 8.5 bits a weight. teal: the inputs with |v_i|
/// at or above a threshold, in f16; the threshold is the ideal one for this vector. q8_top_k and q4_top_k: the same
/// inputs, quantised, in blocks within an input so that it can be left out. At `fractions` of the bytes.
std::vector<RivalPoint> rival_points(const EffortWeights& weights, const std::vector<float>& v,
                                     const std::vector<double>& exact, std::span<const double> fractions);

}  // namespace tw::measure
