// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/effort/rivals.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/rounding.hpp"

namespace tw::measure {
namespace {

constexpr std::size_t block = 32;
using Block = std::array<float, block>;

constexpr double bits_of_q4 = 4.5, bits_of_q8 = 8.5;

float through_f16(float x) { return widen(to_float16(x)); }

/// The largest |w| becomes -8 steps; the others are rounded to -8 .. 7.
Block through_q4(const Block& x) {
    const float largest =
        *std::max_element(x.begin(), x.end(), [](float p, float q) { return std::fabs(p) < std::fabs(q); });
    const float step = largest / -8, kept = through_f16(step);
    Block y{};
    if (step == 0) return y;
    for (std::size_t i = 0; i < block; ++i)
        y[i] = static_cast<float>(std::min(15, static_cast<int>(x[i] / step + 8.5f)) - 8) * kept;
    return y;
}

Block through_q8(const Block& x) {
    float largest = 0;
    for (const float value : x) largest = std::max(largest, std::fabs(value));
    const float step = largest / 127, kept = through_f16(step);
    Block y{};
    if (step == 0) return y;
    for (std::size_t i = 0; i < block; ++i) y[i] = std::round(x[i] / step) * kept;
    return y;
}

Block as_it_is(const Block& x) { return x; }

/// A product that reads everything, quantised along the rows.
template <class Through>
double error_of_all(const EffortWeights& w, const std::vector<float>& v, const std::vector<double>& exact,
                    Through through) {
    std::vector<double> y(exact.size());
    for (std::size_t o = 0; o < y.size(); ++o) {
        const float16* row = w.values.data() + o * v.size();
        for (std::size_t i = 0; i < v.size(); i += block) {
            const std::size_t count = std::min(block, v.size() - i);
            Block x{};
            for (std::size_t j = 0; j < count; ++j) x[j] = widen(row[i + j]);
            const Block read = through(x);
            for (std::size_t j = 0; j < count; ++j)
                y[o] += static_cast<double>(read[j]) * static_cast<double>(v[i + j]);
        }
    }
    return relative_error(y, exact);
}

/// The inputs in falling order of |v_i|.
std::vector<std::size_t> by_size(const std::vector<float>& v) {
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t p, std::size_t q) { return std::fabs(v[p]) > std::fabs(v[q]); });
    return order;
}

/// The errors after each of the rising `counts` of inputs; blocks are along the outputs of an input.
template <class Through>
std::vector<double> errors_of_largest(const EffortWeights& w, const std::vector<float>& v,
                                      const std::vector<double>& exact, const std::vector<std::size_t>& counts,
                                      Through through) {
    const std::vector<std::size_t> order = by_size(v);
    std::vector<std::vector<double>> y(counts.size(), std::vector<double>(exact.size()));
    for (std::size_t first = 0; first < exact.size(); first += block) {
        const std::size_t height = std::min(block, exact.size() - first);
        std::array<double, block> sums{};
        std::size_t done = 0;
        for (std::size_t c = 0; c < counts.size(); ++c) {
            for (; done < counts[c]; ++done) {
                const std::size_t i = order[done];
                Block x{};
                for (std::size_t o = 0; o < height; ++o) x[o] = widen(w.values[(first + o) * v.size() + i]);
                const Block read = through(x);
                for (std::size_t o = 0; o < height; ++o)
                    sums[o] += static_cast<double>(read[o]) * static_cast<double>(v[i]);
            }
            std::copy_n(sums.begin(), height, y[c].begin() + static_cast<std::ptrdiff_t>(first));
        }
    }
    std::vector<double> errors;
    errors.reserve(y.size());
    for (const auto& answer : y) errors.push_back(relative_error(answer, exact));
    return errors;
}

template <class Through>
void add_largest(const char* layout, double bits, const EffortWeights& w, const std::vector<float>& v,
                 const std::vector<double>& exact, std::span<const double> fractions, Through through,
                 std::vector<RivalPoint>& to) {
    std::vector<std::size_t> counts;
    for (const double fraction : fractions) {
        const double inputs = std::floor(std::min(1.0, fraction * 16 / bits) * static_cast<double>(v.size()) + 1e-9);
        if (counts.empty() || counts.back() < v.size()) counts.push_back(static_cast<std::size_t>(inputs));
    }
    const std::vector<double> errors = errors_of_largest(w, v, exact, counts, through);
    for (std::size_t c = 0; c < counts.size(); ++c) {
        const double share = static_cast<double>(counts[c]) / static_cast<double>(v.size());
        to.push_back({layout, share, share * bits / 16, errors[c]});
    }
}

}  // namespace

std::vector<RivalPoint> rival_points(const EffortWeights& w, const std::vector<float>& v,
                                     const std::vector<double>& exact, std::span<const double> fractions) {
    std::vector<double> rising(fractions.begin(), fractions.end());
    std::sort(rising.begin(), rising.end());
    std::vector<RivalPoint> points = {{"q8_0", 1, bits_of_q8 / 16, error_of_all(w, v, exact, through_q8)},
                                      {"q4_0", 1, bits_of_q4 / 16, error_of_all(w, v, exact, through_q4)}};
    add_largest("teal", 16, w, v, exact, rising, as_it_is, points);
    add_largest("q8_top_k", bits_of_q8, w, v, exact, rising, through_q8, points);
    add_largest("q4_top_k", bits_of_q4, w, v, exact, rising, through_q4, points);
    return points;
}

}  // namespace tw::measure
