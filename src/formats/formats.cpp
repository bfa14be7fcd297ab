// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The table of layouts.
#include <cmath>

#include "formats/body.hpp"
#include "formats/format.hpp"

namespace tw::effort {
namespace {

const Format* const all[] = {&buckets_format, &tiers_format, &planes_format};

}  // namespace

std::span<const Format* const> formats() noexcept { return all; }

const Format* format_of(EffortLayout layout) noexcept {
    for (const Format* format : all)
        if (format->layout == layout) return format;
    return nullptr;
}

InputSummary summary_of_units(const EffortBody& body, const Findings& found) noexcept {
    const UnitSums& sums = found.as<UnitSums>();
    const double scale = std::ldexp(1.0, 2 * (body.exponent - body.exponent_of_rows()));
    const int units = body.units();
    InputSummary summary{};
    for (int u = units - 1; u >= 0; --u) summary.left[u] = summary.left[u + 1] + sums.squares[u] * scale;
    double missed = 0;
    for (int u = 0; u < units; ++u) missed += sums.missed[u] * scale, summary.left[u + 1] += missed;
    return summary;
}

}  // namespace tw::effort
