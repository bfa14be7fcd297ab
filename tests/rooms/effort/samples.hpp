// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Weights and vectors of the kinds that the dial is judged on, and the product in f64 beside them.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "reference/random.hpp"
#include "support/sanitized.hpp"
#include "tilewright/effort.hpp"

namespace tw::effort_tests {

/// Values of one type with a matrix over them.
struct Weights {
    std::vector<std::byte> bytes;
    Matrix matrix;

    Weights(std::int64_t outputs, std::int64_t inputs, Type type, std::uint64_t seed, double scale = 1)
        : bytes(static_cast<std::size_t>(outputs * inputs) * size_of(type)),
          matrix{bytes.data(), type, outputs, inputs, inputs, 1} {
        reference::Random random(seed);
        for (std::int64_t o = 0; o < outputs; ++o)
            for (std::int64_t i = 0; i < inputs; ++i) store_element(matrix, o, i, scale * random.normal());
    }
    Weights(const Weights&) = delete;
    Weights& operator=(const Weights&) = delete;
};

inline std::vector<float> gauss(std::int64_t count, std::uint64_t seed) {
    reference::Random random(seed);
    std::vector<float> v(static_cast<std::size_t>(count));
    for (float& x : v) x = static_cast<float>(random.normal());
    return v;
}

/// silu(g) u: what the second matrix of a gated network is given.
inline std::vector<float> gated(std::int64_t count, std::uint64_t seed) {
    reference::Random random(seed);
    std::vector<float> v(static_cast<std::size_t>(count));
    for (float& x : v) {
        const double g = random.normal() - 0.5;
        x = static_cast<float>(g / (1 + std::exp(-g)) * random.normal());
    }
    return v;
}

inline std::vector<double> exact(const Matrix& w, const std::vector<float>& v) {
    std::vector<double> y(static_cast<std::size_t>(w.rows));
    for (std::int64_t o = 0; o < w.rows; ++o)
        for (std::int64_t i = 0; i < w.cols; ++i)
            y[static_cast<std::size_t>(o)] +=
                load_element(w, o, i) * static_cast<double>(v[static_cast<std::size_t>(i)]);
    return y;
}

/// |y - exact| / |exact|
inline double relative_error(const std::vector<float>& y, const std::vector<double>& exact) {
    double off = 0, whole = 0;
    for (std::size_t o = 0; o < exact.size(); ++o) {
        const double d = static_cast<double>(y[o]) - exact[o];
        off += d * d, whole += exact[o] * exact[o];
    }
    return whole > 0 ? std::sqrt(off / whole) : std::sqrt(off);
}

struct Answer {
    std::vector<float> y;
    EffortReport report;
};

inline Answer product(const EffortMatrix& m, const std::vector<float>& v, Budget budget,
                      const EffortOptions& options = {}) {
    Answer answer{std::vector<float>(static_cast<std::size_t>(m.outputs())), {}};
    answer.report = matvec(m, v, answer.y, budget, options);
    return answer;
}

inline constexpr EffortLayout every_layout[] = {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes};

/// What is read costs what was asked for, to one row: of every layout, with many ties and with nothing but ties.
inline void expect_rows_asked_for(const EffortOptions& options) {
    for (const std::int64_t inputs : {500, 499}) {
        Weights weights(64, inputs, Type::f32, 11);
        for (std::int64_t o = 0; o < 64; ++o)
            for (std::int64_t i = 0; i < inputs; i += 2)
                store_element(weights.matrix, o, i, load_element(weights.matrix, o, 1));
        const auto count = static_cast<std::size_t>(inputs);
        for (const std::vector<float>& v :
             {gauss(inputs, 12), std::vector<float>(count, 1.f), std::vector<float>(count)})
            for (const EffortLayout layout : every_layout) {
                const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
                for (const double effort : {0., .001, .0777, .25, .5, .7531, .999}) {
                    if (!test::has_its_turn(5)) continue;
                    SCOPED_TRACE(name_of(layout) + (" " + std::to_string(effort)));
                    const EffortReport r = product(m, v, Budget::effort(effort), options).report;
                    if (layout == EffortLayout::planes) {
                        const double largest_row = 64 * 2;  // bytes of plane C: 128 outputs of 4 bits
                        EXPECT_LE(static_cast<double>(r.bytes_read), effort * static_cast<double>(r.bytes) + 1);
                        EXPECT_GT(static_cast<double>(r.bytes_read),
                                  effort * static_cast<double>(r.bytes) - largest_row);
                    } else {
                        EXPECT_NEAR(static_cast<double>(r.rows_read), effort * static_cast<double>(r.rows), 1);
                    }
                }
            }
    }
}

}  // namespace tw::effort_tests
