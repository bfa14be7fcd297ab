// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/rows/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "measure/basis/statistics.hpp"
#include "plan/names.hpp"

namespace tw::measure {
namespace {

constexpr double significant = 0.01, smallest_difference = 0.02, noisy = 0.15;
constexpr std::size_t fewest_samples = 5;

bool is_same_question(const Row& x, const Row& y) {
    return x.m == y.m && x.n == y.n && x.k == y.k && x.products == y.products && x.type == y.type &&
           x.threads == y.threads && x.provider == y.provider && x.device == y.device && x.accuracy == y.accuracy;
}

/// A row of an earlier version may have a former name.
bool is_same_kernel(const Row& old, const Row& now) {
    const Kernel* const kernel = find_kernel(now.kernel);
    return old.kernel == now.kernel || (kernel && is_called(*kernel, old.kernel));
}

}  // namespace

Comparison compare(const std::vector<double>& first, const std::vector<double>& second) {
    Comparison made;
    if (first.empty() || second.empty()) return made;
    made.ratio = median(second) / median(first);
    made.probability = rank_test(first, second);
    const double noise = std::max(spread(first), spread(second));
    const bool is_beyond = std::abs(made.ratio - 1) > std::max(smallest_difference, noise);
    if (first.size() < fewest_samples || second.size() < fewest_samples) return made;
    if (made.probability < significant && is_beyond) made.verdict = made.ratio > 1 ? Verdict::quicker : Verdict::slower;
    else if (noise <= noisy) made.verdict = Verdict::same;
    return made;
}

std::string sentence_of(const Comparison& made) {
    switch (made.verdict) {
        case Verdict::quicker: return fmt::format("{:.2f}x, quicker (p {:.1g})", made.ratio, made.probability);
        case Verdict::slower: return fmt::format("{:.2f}x, slower (p {:.1g})", made.ratio, made.probability);
        case Verdict::same: return fmt::format("{:.2f}x, no difference beyond noise", made.ratio);
        case Verdict::unclear: break;
    }
    return fmt::format("{:.2f}x, too noisy to tell", made.ratio);
}

std::vector<Against> against_baseline(const std::vector<Row>& now, const std::vector<Row>& before) {
    std::vector<Against> pairs;
    for (const Row& row : now) {
        if (!row.is_timed()) continue;
        std::vector<const Row*> candidates;
        for (const Row& old : before)
            if (old.is_timed() && is_same_question(row, old)) candidates.push_back(&old);
        if (candidates.size() > 1)
            std::erase_if(candidates, [&](const Row* old) { return !is_same_kernel(*old, row); });
        if (candidates.size() == 1)
            pairs.push_back({&row, candidates.front(), compare(row.seconds, candidates.front()->seconds)});
    }
    return pairs;
}

}  // namespace tw::measure
