// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/choice/select.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "effort/choice/importance.hpp"

namespace tw::effort {
namespace {

constexpr int bins =
    1 << (31 - fall_shift);  // of worths that have the upper bits in common: a fall is a whole number of them
constexpr int room = bins + static_cast<int>(most_fall);

/// The memory of one selection: what the rows of each bin weigh, or how many keys it has; how many units are read of a
/// key in a bin; the inputs' keys, those of which a row may be at the cutoff, and the answer.
struct Desk {
    double* weights;
    std::uint32_t* counts;
    std::uint8_t* units_of_bin;
    std::uint32_t *keys, *places;
    std::uint8_t* units;
    float scale;      ///< of v
    int most, least;  ///< the bin of the largest key, and of the smallest one that is not 0

    Desk(const Question& q, std::span<std::byte> scratch) noexcept {
        weights = reinterpret_cast<double*>(scratch.data());
        counts = reinterpret_cast<std::uint32_t*>(scratch.data());
        units_of_bin = reinterpret_cast<std::uint8_t*>(weights + bins);
        keys = reinterpret_cast<std::uint32_t*>(units_of_bin + room);
        places = keys + q.inputs;
        units = reinterpret_cast<std::uint8_t*>(places + q.inputs);
        scale = unit_scale(q.v, q.inputs);
        std::int32_t largest = 0, smallest = INT32_MAX;
        for (std::int64_t i = 0; i < q.inputs; ++i) {
            const std::int32_t key =
                std::bit_cast<std::int32_t>(std::fabs(q.v[i]) * scale * q.importance[i]) & INT32_MAX;
            keys[i] = static_cast<std::uint32_t>(key);
            largest = std::max(largest, key), smallest = std::min(smallest, key == 0 ? INT32_MAX : key);
        }
        most = largest >> fall_shift, least = std::min(smallest, largest) >> fall_shift;
    }
};
static_assert(sizeof(double) * bins >= sizeof(std::uint32_t) * room && room % sizeof(std::uint32_t) == 0);

template <class Sum>
struct Threshold {
    std::uint32_t worth = 0;  ///< rows worth more than this are below the limit together
    Sum above{};              ///< their weight
    std::int64_t inside = 0;  ///< inputs with a row in its bin
};

/// From the top bin down while all of it stays below the limit: the bin that reaches it, or -1.
template <class Sum>
int descend(const Sum* weights, int count, Sum limit, Sum& above) noexcept {
    int bin = count - 1;
    for (; bin >= 0 && above + weights[bin] < limit; --bin) above += weights[bin];
    return bin;
}

/// The bin that brings the bytes to the limit. It has as many rows of a unit as there are keys a fall above it, so keys
/// are counted, not rows.
int bin_by_bytes(const Question& q, const Desk& desk, std::int64_t limit, std::int64_t& above) noexcept {
    constexpr int block = 64;
    const int lowest = std::max(1, desk.least - static_cast<int>(q.falls[q.units - 1])) / block * block;
    std::fill(desk.counts + lowest, desk.counts + std::min(room, desk.most + block + static_cast<int>(most_fall)), 0u);
    for (std::int64_t i = 0; i < q.inputs; ++i) ++desk.counts[desk.keys[i] >> fall_shift];
    for (int first = desk.most / block * block; first >= lowest; first -= block) {
        std::int64_t weights[block] = {};
        for (int u = 0; u < q.units; ++u) {
            const std::uint32_t* counts = desk.counts + first + q.falls[u];
            for (int b = 0; b < block; ++b) weights[b] += q.unit_bytes[u] * std::int64_t{counts[b]};
        }
        if (first == 0) weights[0] = limit;  // worths clamped to 0 land there: it always reaches the limit
        const int bin = descend(weights, block, limit, above);
        if (bin >= 0) return first + bin;
    }
    return 0;
}

/// Units that lie above the bin, by the bins of keys; lists the inputs of which one lies in it.
std::int64_t split_by(const Question& q, const Desk& desk, int bin) noexcept {
    constexpr std::uint8_t in_question = 255;
    std::uint8_t* const of = desk.units_of_bin;
    std::uint8_t* from = of;
    for (int u = 0; u < q.units; ++u) {
        std::uint8_t* const end = of + bin + q.falls[u] + 1;
        std::fill(from, end, static_cast<std::uint8_t>(u));
        from = end;
    }
    std::fill(from, std::max(from, of + desk.most + 1), static_cast<std::uint8_t>(q.units));
    for (int u = 0; u < q.units; ++u) of[bin + static_cast<int>(q.falls[u])] = in_question;
    if (bin == 0) std::fill_n(of, q.falls[q.units - 1] + 1, in_question);
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < q.inputs; ++i) {
        desk.units[i] = of[desk.keys[i] >> fall_shift];
        desk.places[inside] = static_cast<std::uint32_t>(i);
        inside += desk.units[i] == in_question;
    }
    return inside;
}

/// The largest worth in the bin such that the rows worth at least that much weigh `limit` or more.
template <class Sum, class WeightOf>
Threshold<Sum> find_in(const Question& q, const Desk& desk, int bin, Sum limit, Sum above,
                       const WeightOf& weight_of) noexcept {
    Threshold<Sum> found{static_cast<std::uint32_t>(bin) << fall_shift, above, split_by(q, desk, bin)};
    constexpr int step = fall_shift / 2;
    for (int shift = step; shift >= 0; shift -= step) {
        Sum weights[1 << step] = {};
        const std::uint32_t prefix = found.worth >> (shift + step);
        for (std::int64_t p = 0; p < found.inside; ++p)
            for (int u = 0; u < q.units; ++u) {
                const std::uint32_t worth = worth_of(desk.keys[desk.places[p]], q.falls[u]);
                if (worth >> (shift + step) == prefix)
                    weights[worth >> shift & ((1u << step) - 1)] += weight_of(u, desk.places[p]);
            }
        found.worth |= static_cast<std::uint32_t>(std::max(0, descend(weights, 1 << step, limit, found.above)))
                       << shift;
    }
    return found;
}

/// Takes the rows above the threshold, then those at it while `fits(unit, input)` says so.
template <class Sum, class Fits>
Selection take(const Question& q, const Desk& desk, const Threshold<Sum>& at, const Fits& fits) noexcept {
    Selection chosen{desk.units};
    for (std::int64_t p = 0; p < at.inside; ++p) {
        const std::uint32_t i = desk.places[p];
        desk.units[i] = 0;
        while (desk.units[i] < q.units && worth_of(desk.keys[i], q.falls[desk.units[i]]) > at.worth) ++desk.units[i];
    }
    bool open = true;
    for (int u = 0; u < q.units && open; ++u)
        for (std::int64_t p = 0; p < at.inside && open; ++p) {
            const std::uint32_t i = desk.places[p];
            if (worth_of(desk.keys[i], q.falls[u]) != at.worth) continue;
            open = fits(u, i);
            if (open) ++desk.units[i];
        }
    chosen.cutoff = static_cast<double>(std::bit_cast<float>(at.worth)) / static_cast<double>(desk.scale);
    tally(q, chosen);
    return chosen;
}

}  // namespace

void tally(const Question& q, Selection& chosen) noexcept {
    std::int64_t inputs_of[33] = {};  // of which so many units are read
    for (std::int64_t i = 0; i < q.inputs; ++i) {
        const double square = static_cast<double>(q.v[i]) * static_cast<double>(q.v[i]);
        chosen.left += square * static_cast<double>(q.left[chosen.units[i] * q.inputs + i]);
        chosen.all += square * static_cast<double>(q.left[i]);
        ++inputs_of[chosen.units[i]];
    }
    std::int64_t bytes = 0;
    for (int k = 1; k <= q.units; ++k) {
        bytes += q.unit_bytes[k - 1];
        chosen.rows += k * inputs_of[k], chosen.bytes += bytes * inputs_of[k];
    }
}

std::size_t selection_bytes(std::int64_t inputs) noexcept {
    return static_cast<std::size_t>(9 * inputs + room) + sizeof(double) * bins;
}

Selection select_by_bytes(const Question& q, std::int64_t bytes, std::span<std::byte> scratch) noexcept {
    const Desk desk(q, scratch);
    std::int64_t spent = 0;
    const int bin = bytes > 0 ? bin_by_bytes(q, desk, bytes, spent) : bins - 1;
    const auto found = find_in(q, desk, bin, bytes, spent, [&q](int u, std::int64_t) { return q.unit_bytes[u]; });
    spent = found.above;
    return take(q, desk, found, [&](int u, std::int64_t) {
        spent += q.unit_bytes[u];
        return spent <= bytes;
    });
}

Selection select_by_error(const Question& q, double square_of_error, std::span<std::byte> scratch) noexcept {
    const Desk desk(q, scratch);
    const auto brings = [&q](int u, std::int64_t i) {
        const double v = static_cast<double>(q.v[i]);
        return v * v *
               (static_cast<double>(q.left[u * q.inputs + i]) - static_cast<double>(q.left[(u + 1) * q.inputs + i]));
    };
    double all = 0;
    std::fill_n(desk.weights, desk.most + 1, 0.);
    for (std::int64_t i = 0; i < q.inputs; ++i) {
        all += static_cast<double>(q.v[i]) * static_cast<double>(q.v[i]) * static_cast<double>(q.left[i]);
        for (int u = 0; u < q.units; ++u)
            desk.weights[worth_of(desk.keys[i], q.falls[u]) >> fall_shift] += brings(u, i);
    }
    const double wanted = all * (1 - square_of_error);
    desk.weights[0] = HUGE_VAL;  // should roundings keep all together below what is wanted
    double brought = 0;
    const int bin = descend(desk.weights, desk.most + 1, wanted, brought);
    const auto found = find_in(q, desk, bin, wanted, brought, brings);
    brought = found.above;
    return take(q, desk, found, [&](int u, std::int64_t i) {
        const bool more = brought < wanted;
        brought += brings(u, i);
        return more;
    });
}

}  // namespace tw::effort
