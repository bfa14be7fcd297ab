// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/effort/data.hpp"

#include <cmath>

#include "base/element.hpp"
#include "reference/random.hpp"

namespace tw::measure {
namespace {

constexpr double scale = 0.02;  // of a network's weights

double laplace(reference::Random& random) { return -random.sign() * std::log(1 - random.unit()); }

double gated(reference::Random& random) {
    const double g = random.normal() - 0.5;
    return g / (1 + std::exp(-g)) * random.normal();
}

/// A normal over the root of a mean of five squared normals; four of the five squares are an exponential each two.
double student5(reference::Random& random) {
    const double n = random.normal(), fifth = random.normal();
    const double squares = -2 * std::log((1 - random.unit()) * (1 - random.unit())) + fifth * fifth;
    return n / std::sqrt(squares / 5);
}

template <class Values>
double error_of(const Values& y, const std::vector<double>& exact) {
    double off = 0, whole = 0;
    for (std::size_t o = 0; o < exact.size(); ++o) {
        const double d = static_cast<double>(y[o]) - exact[o];
        off += d * d;
        whole += exact[o] * exact[o];
    }
    return std::sqrt(whole > 0 ? off / whole : off);
}

}  // namespace

EffortWeights effort_weights(EffortData data, std::int64_t outputs, std::int64_t inputs, std::uint64_t seed) {
    EffortWeights weights{outputs, inputs};
    weights.values.resize(static_cast<std::size_t>(outputs * inputs));
    reference::Random random(seed);
    for (float16& w : weights.values)
        w = to_float16(static_cast<float>(scale * (data == EffortData::t5 ? student5(random) : random.normal())));
    return weights;
}

EffortWeights effort_weights(const Matrix& from) {
    EffortWeights weights{from.rows, from.cols};
    weights.values.reserve(static_cast<std::size_t>(from.rows * from.cols));
    for (std::int64_t o = 0; o < from.rows; ++o)
        for (std::int64_t i = 0; i < from.cols; ++i)
            weights.values.push_back(to_float16(static_cast<float>(load_element(from, o, i))));
    return weights;
}

std::vector<float> effort_vector(EffortData data, std::int64_t inputs, std::uint64_t seed) {
    std::vector<float> v(static_cast<std::size_t>(inputs));
    reference::Random random(seed);
    for (float& x : v) {
        double value = 0;
        if (data == EffortData::swiglu) value = gated(random);
        else if (data == EffortData::laplace) value = laplace(random);
        else value = random.normal();
        if (data == EffortData::outlier && random.unit() < 0.005) value *= 20;
        x = static_cast<float>(value);
    }
    return v;
}

std::vector<double> exact_product(const EffortWeights& weights, const std::vector<float>& v) {
    std::vector<double> y;
    y.reserve(static_cast<std::size_t>(weights.outputs));
    const float16* row = weights.values.data();
    for (std::int64_t o = 0; o < weights.outputs; ++o, row += weights.inputs) {
        double sum = 0;
        for (std::size_t i = 0; i < v.size(); ++i)
            sum += static_cast<double>(widen(row[i])) * static_cast<double>(v[i]);
        y.push_back(sum);
    }
    return y;
}

double relative_error(const float* y, const std::vector<double>& exact) { return error_of(y, exact); }
double relative_error(const std::vector<double>& y, const std::vector<double>& exact) { return error_of(y, exact); }

}  // namespace tw::measure
