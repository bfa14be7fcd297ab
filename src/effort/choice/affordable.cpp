// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/choice/affordable.hpp"

#include <cmath>

namespace tw::effort {

Affordable affordable(const EffortBody& body, Budget budget) noexcept {
    const std::int64_t all = bytes_of_all(body);
    if (budget.is_error()) return {all, budget.value() <= 0};
    const std::int64_t bytes = std::llround(budget.value() * static_cast<double>(all));
    return {bytes, bytes >= all};
}

}  // namespace tw::effort
