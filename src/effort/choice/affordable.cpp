// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/choice/affordable.hpp"

#include <cmath>
#include <numeric>

namespace tw::effort {

Affordable affordable(const EffortBody& body, Budget budget) noexcept {
    const std::int64_t all = bytes_of_all(body);
    if (budget.is_error()) return {all, budget.value() <= 0};
    const std::int64_t bytes = std::llround(budget.value() * static_cast<double>(all));
    return {bytes, bytes >= all};
}

UnitWeights::UnitWeights(const EffortBody& body) noexcept {
    for (int u = 0; u < body.units(); ++u) common = std::gcd(common, bytes_of_unit(body, u));
    for (int u = 0; u < body.units(); ++u) of_unit[u] = static_cast<std::uint32_t>(bytes_of_unit(body, u) / common);
}

}  // namespace tw::effort
