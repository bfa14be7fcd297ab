// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "measure/survey/families.hpp"

#include <cmath>

#include "measure/survey/networks.hpp"

namespace tw::measure {
namespace {

using reference::Random;

/// Log-uniform: as many between 8 and 16 as between 800 and 1600.
std::int64_t by_magnitude(Random& random, double least, double most) {
    return static_cast<std::int64_t>(std::exp(random.between(std::log(least), std::log(most + 1))));
}
bool one_in(Random& random, int count) { return random.whole(1, count) == 1; }
std::int64_t one_of(Random& random, std::span<const std::int64_t> values) {
    return values[static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(values.size()) - 1))];
}
template <std::size_t count>
std::int64_t one_of(Random& random, const std::int64_t (&values)[count]) {
    return one_of(random, std::span(values));
}
std::int64_t multiple_of(std::int64_t unit, std::int64_t x) { return std::max(unit, (x + unit / 2) / unit * unit); }

/// Halves the largest side until the case fits; odd sides stay odd.
Case fitted(Case drawn, const Limits& limits) {
    while (lay_out(drawn).bytes() > limits.bytes ||
           drawn.operations() > limits.operations * drawn.kind->most_operations) {
        if (drawn.is_batch()) {
            drawn.products /= 2;
            continue;
        }
        std::int64_t& largest = drawn.m >= drawn.n && drawn.m >= drawn.k ? drawn.m
                                : drawn.n >= drawn.k                     ? drawn.n
                                                                         : drawn.k;
        largest = largest / 2 | (largest & 1);
    }
    return drawn;
}

/// Tokens: half of the time few, as in decoding; else a prompt or a training step.
std::int64_t tokens(Random& random) {
    if (one_in(random, 2)) return one_in(random, 3) ? random.whole(1, 64) : one_of(random, {1, 2, 4, 8, 16, 32, 64});
    return one_in(random, 2) ? std::int64_t{64} << random.whole(1, 7) : by_magnitude(random, 65, 8192);
}

Layer any_layer(Random& random) {
    const std::span<const Layer> lists[] = {llama3_8b, llama3_70b, others};
    const auto list = lists[random.whole(0, 2)];
    return list[static_cast<std::size_t>(random.whole(0, static_cast<std::int64_t>(list.size()) - 1))];
}

/// Weights mostly N x K, as they are usually stored; a fifth of them K x N.
Case layer(Random& random, const Kind& kind, const Limits& limits) {
    const Layer of = any_layer(random);
    Case drawn{.kind = &kind, .m = tokens(random), .n = of.n, .k = of.k};
    drawn.b.by_columns = !one_in(random, 5);
    return fitted(drawn, limits);
}

Case square(Random& random, const Kind& kind, const Limits& limits) {
    std::int64_t n = by_magnitude(random, 192, 10240);
    const std::int64_t units[] = {1, 8, 64, 128};
    n = multiple_of(one_of(random, units), n);
    if ((n & (n - 1)) == 0) n += n / 4;
    Case drawn{.kind = &kind, .m = n, .n = n, .k = n};
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}

Case ragged(Random& random, const Kind& kind, const Limits& limits) {
    const auto side = [&] { return by_magnitude(random, 33, 5000); };
    Case drawn{.kind = &kind, .m = side(), .n = side(), .k = side()};
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}

Case thin_m(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn{.kind = &kind,
               .m = random.whole(1, 48),
               .n = by_magnitude(random, 1000, 50000),
               .k = by_magnitude(random, 500, 16384)};
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}
Case thin_n(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = thin_m(random, kind, limits);
    std::swap(drawn.m, drawn.n);
    return drawn;
}
Case thin_k(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn{.kind = &kind,
               .m = by_magnitude(random, 1000, 12000),
               .n = by_magnitude(random, 1000, 12000),
               .k = random.whole(8, 96)};
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}
Case long_k(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn{.kind = &kind,
               .m = by_magnitude(random, 16, 300),
               .n = by_magnitude(random, 16, 300),
               .k = by_magnitude(random, 10000, 500000)};
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}

/// Either a layer's or a square's shape.
Case plain(Random& random, const Kind& kind, const Limits& limits) {
    if (one_in(random, 2)) return square(random, kind, limits);
    Case drawn = layer(random, kind, limits);
    if (drawn.m < 64) drawn.m *= 64;
    return fitted(drawn, limits);
}

/// Views of larger matrices: pitches and addresses that neither vector loads nor TMA can use.
Case odd_steps(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = plain(random, kind, limits);
    for (const auto& [lay, width] :
         {std::pair{&drawn.a, drawn.k}, {&drawn.b, drawn.b.by_columns ? drawn.k : drawn.n}, {&drawn.c, drawn.n}}) {
        if (!one_in(random, 3)) lay->pitch = width + (one_in(random, 2) ? random.whole(1, 7) : 8 * random.whole(1, 9));
        if (one_in(random, 3)) lay->offset = random.whole(1, 7);
    }
    if (drawn.a.pitch == 0) drawn.a.pitch = drawn.k + 1;
    return drawn;
}

/// TN and TT: the products of a backward pass, dW = X^T dY over many tokens.
Case transposed(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = plain(random, kind, limits);
    drawn.a.by_columns = true;
    drawn.b.by_columns = one_in(random, 3);
    return drawn;
}
Case by_columns(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = plain(random, kind, limits);
    drawn.a.by_columns = one_in(random, 2);
    drawn.c.by_columns = true;
    return drawn;
}
Case with_beta(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = plain(random, kind, limits);
    drawn.beta = one_in(random, 2) ? 0.5 : -0.25;
    return drawn;
}

Case batch(Random& random, const Kind& kind, const Limits& limits) {
    const std::int64_t sides[] = {16, 32, 48, 64, 96, 100, 128, 192, 256, 384, 512};
    Case drawn{.kind = &kind, .m = one_of(random, sides), .n = one_of(random, sides), .k = one_of(random, sides)};
    drawn.products = by_magnitude(random, 8, 2048);
    drawn.b.by_columns = one_in(random, 2);
    return fitted(drawn, limits);
}
Case pointers(Random& random, const Kind& kind, const Limits& limits) {
    Case drawn = batch(random, kind, limits);
    drawn.by_pointers = drawn.is_batch();
    return drawn;
}

/// Q K^T and P V over all heads: heads contiguous, or side by side in each token's row.
Case attention(Random& random, const Kind& kind, const Limits& limits) {
    const bool is_scores = one_in(random, 2), side_by_side = one_in(random, 3);
    const std::int64_t tokens = one_of(random, {128, 200, 512, 1000, 1024, 2048}), head = one_of(random, {64, 80, 128});
    Case drawn{.kind = &kind, .m = tokens, .n = is_scores ? tokens : head, .k = is_scores ? head : tokens};
    drawn.products = one_of(random, {12, 16, 32, 64, 128, 256});
    drawn.b.by_columns = is_scores;
    drawn = fitted(drawn, limits);
    if (!side_by_side || !drawn.is_batch()) return drawn;
    const LineLayout heads{.pitch = drawn.products * head, .step = head};
    if (is_scores) drawn.a = heads;
    else drawn.c = heads;
    drawn.b.pitch = heads.pitch, drawn.b.step = heads.step;
    return drawn;
}

constexpr Family families[] = {
    {"layers", 32, layer},         {"squares", 12, square},         {"ragged", 6, ragged},  {"thin m", 5, thin_m},
    {"thin n", 4, thin_n},         {"thin k", 3, thin_k},           {"long k", 2, long_k},  {"odd steps", 8, odd_steps},
    {"transposed", 8, transposed}, {"C by columns", 3, by_columns}, {"beta", 5, with_beta}, {"batches", 5, batch},
    {"pointers", 2, pointers},     {"attention", 5, attention},
};

}  // namespace

std::span<const Family> every_family() noexcept { return families; }

}  // namespace tw::measure
