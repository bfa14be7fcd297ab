// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Decides whether one set of timings is faster than another: only when the rank test and the size of the difference
// agree.
#pragma once

#include <string>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

enum class Verdict { quicker, slower, same, unclear };

struct Comparison {
    Verdict verdict = Verdict::unclear;
    double ratio = 1;        ///< of speeds: above 1 the first is faster
    double probability = 1;  ///< that chance gives so clear an order
};

/// Compares `first` with `second`, both in seconds a product. Unclear: too few samples or a spread above 15 %, without
/// a clear order. Different: p below 0.01, and medians further apart than both the samples' spread and 2 %.
Comparison compare(const std::vector<double>& first, const std::vector<double>& second);

/// "1.23x, quicker", "0.98x, no difference beyond noise", "too noisy to tell".
std::string sentence_of(const Comparison& comparison);

struct Against {
    const Row* now;
    const Row* before;
    Comparison comparison;
};

/// Pairs of rows with the same shape, type, threads and provider, and the same kernel if a provider has several.
std::vector<Against> against_baseline(const std::vector<Row>& now, const std::vector<Row>& before);

}  // namespace tw::measure
