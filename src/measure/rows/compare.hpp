// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Is one set of timings quicker than another, or is it noise? Said only when the rank test and the size of the
// difference agree.
#pragma once

#include <string>
#include <vector>

#include "measure/rows/row.hpp"

namespace tw::measure {

enum class Verdict { quicker, slower, same, unclear };

struct Comparison {
    Verdict verdict = Verdict::unclear;
    double ratio = 1;        ///< of speeds: above 1, the first is quicker
    double probability = 1;  ///< that so clear an order comes of chance
};

/// `first` against `second`, both seconds a product. Unclear: too few samples, or a spread above 15 %, and no clear
/// order. Different: p below 0.01 and medians further apart than the samples' own spread and 2 %.
Comparison compare(const std::vector<double>& first, const std::vector<double>& second);

/// "1.23x, quicker", "0.98x, no difference beyond noise", "too noisy to tell".
std::string sentence_of(const Comparison& comparison);

struct Against {
    const Row* now;
    const Row* before;
    Comparison comparison;
};

/// Rows of both that ask the same: shape, type, threads, provider, and the kernel where a provider has several.
std::vector<Against> against_baseline(const std::vector<Row>& now, const std::vector<Row>& before);

}  // namespace tw::measure
