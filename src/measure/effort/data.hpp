// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The data that the effort dial is measured with: weights and vectors with different distributions. The same seed gives
// the same values on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tilewright/view.hpp"

namespace tw::measure {

/// Weights, as f16 as networks keep them, and a vector to multiply them by.
enum class EffortData : std::uint8_t {
    gauss,    ///< both N(0, 1): the hardest, as all inputs matter nearly the same
    swiglu,   ///< the vector is silu(g) u, the input of the last matrix of a gated feed-forward block
    laplace,  ///< the vector has a Laplace distribution
    outlier,  ///< one entry of the vector in 200 is 20 times larger
    t5,       ///< the weights have Student's distribution with 5 degrees of freedom
    real,     ///< the weights, and perhaps the vector, are from a file
};

constexpr const char* name_of(EffortData data) noexcept {
    switch (data) {
        case EffortData::gauss: return "gauss";
        case EffortData::swiglu: return "swiglu";
        case EffortData::laplace: return "laplace";
        case EffortData::outlier: return "outlier";
        case EffortData::t5: return "t5";
        case EffortData::real: return "real";
    }
    return "?";
}

/// Weights that own their memory; a row for each output.
struct EffortWeights {
    std::int64_t outputs = 0, inputs = 0;
    std::vector<float16> values{};

    Matrix matrix() const noexcept {
        return {const_cast<float16*>(values.data()), Type::f16, outputs, inputs, inputs, 1};
    }
};

EffortWeights effort_weights(EffortData data, std::int64_t outputs, std::int64_t inputs, std::uint64_t seed);

/// f16 copies of any weights; those beyond the largest f16 become infinite, which build_effort() refuses.
EffortWeights effort_weights(const Matrix& from);

std::vector<float> effort_vector(EffortData data, std::int64_t inputs, std::uint64_t seed);

/// W v in f64.
std::vector<double> exact_product(const EffortWeights& weights, const std::vector<float>& v);

/// |y - exact| / |exact|
double relative_error(const float* y, const std::vector<double>& exact);
double relative_error(const std::vector<double>& y, const std::vector<double>& exact);

}  // namespace tw::measure
