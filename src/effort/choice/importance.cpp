// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/choice/importance.hpp"

#include <algorithm>
#include <cmath>

namespace tw::effort {
namespace {

constexpr double steps_of_octave = 1 << (23 - fall_shift);

/// By how much one unit of one input lowers the squared error, per byte.
class Brought {
public:
    explicit Brought(const EffortBody& body) noexcept : body_(body) {
        for (int u = 0; u < body.units(); ++u)
            share_[u] = static_cast<double>(bytes_of_unit(body, u)) / static_cast<double>(bytes_of_unit(body, 0));
    }
    double operator()(int expert, int unit, std::int64_t input) const noexcept {
        const float* left = body_.left_of(expert) + unit * body_.inputs + input;
        return std::max(0.0, static_cast<double>(left[0]) - static_cast<double>(left[body_.inputs])) / share_[unit];
    }

private:
    const EffortBody& body_;
    double share_[32] = {};
};

}  // namespace

void weigh_inputs(EffortBody& body) noexcept {
    const Brought brought(body);
    const int units = body.units();
    double of_unit[32] = {};
    for (int expert = 0; expert < body.experts; ++expert)
        for (int u = 0; u < units; ++u)
            for (std::int64_t i = 0; i < body.inputs; ++i) of_unit[u] += brought(expert, u, i);
    const double first = of_unit[0];
    double all = 0;
    for (int u = 0; u < units; ++u) {
        of_unit[u] = first > 0 ? std::min(of_unit[u] / first, u > 0 ? of_unit[u - 1] : 1.0)
                               : 1.0;  // no unit is read without the one before
        all += of_unit[u];
        const double fall = of_unit[u] > 0 ? std::round(-0.5 * steps_of_octave * std::log2(of_unit[u])) : most_fall;
        body.falls[u] = static_cast<std::uint32_t>(std::min<double>(fall, most_fall));
    }
    for (int expert = 0; expert < body.experts; ++expert)
        for (std::int64_t i = 0; i < body.inputs; ++i) {
            double of_input = 0;
            for (int u = 0; u < units; ++u) of_input += brought(expert, u, i);
            body.importance.as<float>()[expert * body.inputs + i] = static_cast<float>(std::sqrt(of_input / all));
        }
}

}  // namespace tw::effort
