// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/draw.hpp"

#include <algorithm>
#include <numeric>

#include "measure/survey/networks.hpp"

namespace tw::measure {
namespace {

/// Divides `count` by weights: rounded down, then one more for those with the largest remainders.
std::vector<std::int64_t> shares(std::int64_t count, const std::vector<int>& weights) {
    const std::int64_t all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    std::vector<std::int64_t> parts;
    for (const int weight : weights) parts.push_back(count * weight / all);
    std::vector<std::size_t> order(weights.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return count * weights[x] % all > count * weights[y] % all; });
    std::int64_t left = count - std::accumulate(parts.begin(), parts.end(), std::int64_t{0});
    for (std::size_t i = 0; left > 0; ++i, --left) ++parts[order[i]];
    return parts;
}

void draw_kind(std::vector<Case>& all, reference::Random& random, const Kind& kind, std::int64_t count,
               const Limits& limits) {
    std::vector<int> weights;
    for (const Family& family : every_family()) weights.push_back(family.weight);
    const std::vector<std::int64_t> of_each = shares(count, weights);
    for (std::size_t f = 0; f < of_each.size(); ++f)
        for (std::int64_t i = 0; i < of_each[f]; ++i) {
            all.push_back(every_family()[f].draw(random, kind, limits));
            all.back().family = every_family()[f].name;
        }
}

}  // namespace

std::vector<Case> draw(std::uint64_t seed, std::int64_t count, const std::vector<const Kind*>& kinds,
                       const Limits& limits) {
    std::vector<int> weights;
    for (const Kind* kind : kinds) weights.push_back(kind->weight);
    const std::vector<std::int64_t> of_each = shares(count, weights);
    reference::Random random(seed);
    std::vector<Case> all;
    for (std::size_t i = 0; i < kinds.size(); ++i) draw_kind(all, random, *kinds[i], of_each[i], limits);
    for (std::size_t i = all.size(); i > 1; --i)
        std::swap(all[i - 1], all[static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(i) - 1))]);
    return all;
}

std::vector<Case> decoding(const std::vector<const Kind*>& kinds, const Limits& limits) {
    std::vector<Case> all;
    for (const Kind* kind : kinds)
        for (const std::span<const Layer> network : {std::span<const Layer>(llama3_8b), {llama3_70b}})
            for (const Layer& layer : network)
                for (const bool by_columns : {true, false})
                    for (const std::int64_t tokens : {1, 2, 4, 8, 16, 17, 32, 33, 64, 128, 256, 512}) {
                        Case one{.kind = kind, .family = layer.of, .m = tokens, .n = layer.n, .k = layer.k};
                        one.b.by_columns = by_columns;
                        if (lay_out(one).bytes() <= limits.bytes) all.push_back(one);
                    }
    return all;
}

std::vector<Case> shard(const std::vector<Case>& all, int number, int parts) {
    std::vector<Case> some;
    for (std::size_t i = static_cast<std::size_t>(number - 1); i < all.size(); i += static_cast<std::size_t>(parts))
        some.push_back(all[i]);
    return some;
}

}  // namespace tw::measure
