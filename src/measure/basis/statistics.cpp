// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/basis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tw::measure {
namespace {

std::vector<double> sorted(std::span<const double> samples) {
    std::vector<double> copy(samples.begin(), samples.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

double at_quantile(const std::vector<double>& ordered, double q) {
    if (ordered.empty()) return std::numeric_limits<double>::quiet_NaN();
    const double position = q * static_cast<double>(ordered.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, ordered.size() - 1);
    return std::lerp(ordered[below], ordered[above], position - static_cast<double>(below));
}

struct Ranked {
    double statistic;  ///< Mann and Whitney's U of the first sample
    double tie_sum;    ///< sum of t^3 - t over groups of equal values
};

Ranked rank(std::span<const double> a, std::span<const double> b) {
    struct Value {
        double x;
        bool first;
    };
    std::vector<Value> all;
    for (const double x : a) all.push_back({x, true});
    for (const double x : b) all.push_back({x, false});
    std::sort(all.begin(), all.end(), [](const Value& p, const Value& q) { return p.x < q.x; });
    double rank_sum = 0, tie_sum = 0;
    for (std::size_t i = 0; i < all.size();) {
        std::size_t end = i;
        while (end < all.size() && all[end].x == all[i].x) ++end;
        const double shared = (static_cast<double>(i + 1) + static_cast<double>(end)) / 2;
        const auto ties = static_cast<double>(end - i);
        tie_sum += ties * ties * ties - ties;
        for (; i < end; ++i)
            if (all[i].first) rank_sum += shared;
    }
    const auto n = static_cast<double>(a.size());
    return {rank_sum - n * (n + 1) / 2, tie_sum};
}

/// The share of all orders of n + m values that have U of u or less. The number of orders with U = u obeys
/// count(n, m, u) = count(n - 1, m, u - m) + count(n, m - 1, u).
double exact_share(std::size_t n, std::size_t m, double u) {
    const std::size_t most = n * m;
    std::vector<std::vector<double>> row(m + 1, std::vector<double>(most + 1, 0));
    for (std::size_t j = 0; j <= m; ++j) row[j][0] = 1;
    for (std::size_t i = 1; i <= n; ++i) {
        const auto above = row;
        for (std::size_t j = 0; j <= m; ++j)
            for (std::size_t v = 0; v <= most; ++v)
                row[j][v] = (v >= j ? above[j][v - j] : 0) + (j > 0 ? row[j - 1][v] : 0);
    }
    double below = 0, all = 0;
    for (std::size_t v = 0; v <= most; ++v) {
        all += row[m][v];
        if (static_cast<double>(v) <= u) below += row[m][v];
    }
    return below / all;
}

}  // namespace

double quantile(std::span<const double> samples, double q) { return at_quantile(sorted(samples), q); }
double median(std::span<const double> samples) { return quantile(samples, 0.5); }

Interval median_interval(std::span<const double> samples) {
    const std::vector<double> ordered = sorted(samples);
    const std::size_t n = ordered.size();
    if (n == 0) return {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::quiet_NaN()};
    // Dropping `out` samples at each end leaves out 2 P(Binomial(n, 1/2) < out).
    double probability = std::pow(0.5, static_cast<double>(n)), outside = 0;
    std::size_t out = 0;
    while (out < n / 2) {
        outside += 2 * probability;
        if (outside > 0.05) break;
        ++out;
        probability *= static_cast<double>(n - out + 1) / static_cast<double>(out);
    }
    if (out > 0) --out;
    return {ordered[out], ordered[n - 1 - out]};
}

double spread(std::span<const double> samples) {
    const std::vector<double> ordered = sorted(samples);
    return (at_quantile(ordered, 0.75) - at_quantile(ordered, 0.25)) / 2 / at_quantile(ordered, 0.5);
}

double rank_test(std::span<const double> a, std::span<const double> b) {
    if (a.empty() || b.empty()) return 1;
    const Ranked ranked = rank(a, b);
    const auto n = static_cast<double>(a.size()), m = static_cast<double>(b.size());
    const double smaller = std::min(ranked.statistic, n * m - ranked.statistic);
    constexpr std::size_t largest_exact = 20;
    if (ranked.tie_sum == 0 && a.size() <= largest_exact && b.size() <= largest_exact)
        return std::min(1.0, 2 * exact_share(a.size(), b.size(), smaller));
    const double all = n + m;
    const double variance = n * m / 12 * (all + 1 - ranked.tie_sum / (all * (all - 1)));
    if (!(variance > 0)) return 1;
    const double distance = std::max(0.0, n * m / 2 - smaller - 0.5) / std::sqrt(variance);
    return std::min(1.0, std::erfc(distance / std::sqrt(2.0)));
}

double geometric_mean(std::span<const double> ratios) {
    double logs = 0;
    for (const double ratio : ratios) logs += std::log(ratio);
    return ratios.empty() ? std::numeric_limits<double>::quiet_NaN()
                          : std::exp(logs / static_cast<double>(ratios.size()));
}

}  // namespace tw::measure
