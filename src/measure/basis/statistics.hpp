// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Statistics for a few timings: medians, intervals that do not assume normality, and the rank test that decides whether
// two sets of timings differ.
#pragma once

#include <span>

namespace tw::measure {

/// The q-th quantile (0 <= q <= 1), linear between neighbours; NaN for no samples.
double quantile(std::span<const double> samples, double q);
double median(std::span<const double> samples);

struct Interval {
    double low, high;
};

/// The narrowest interval between order statistics that holds the true median with at least 95 % confidence, whatever
/// the distribution (binomial). With fewer than 6 samples no pair of them reaches 95 %: the whole range is given.
Interval median_interval(std::span<const double> samples);

/// False when there are too few samples for median_interval() to be a 95 % interval.
constexpr bool interval_is_95(std::size_t samples) { return samples >= 6; }

/// Half the interquartile range over the median: how far a typical sample lies from the middle.
double spread(std::span<const double> samples);

/// Two-sided p-value of Mann and Whitney's rank test: exact for small samples without ties, else the normal
/// approximation with the correction for ties. 1 when either is empty.
double rank_test(std::span<const double> a, std::span<const double> b);

double geometric_mean(std::span<const double> ratios);

}  // namespace tw::measure
