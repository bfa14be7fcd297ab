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

constexpr int bins = 1 << (31 - fall_shift);  // by the upper bits of a worth, so that a fall is a whole number of bins
constexpr int room = bins + static_cast<int>(most_fall);

/// The memory of one selection: for each bin the weight of its rows, or its number of keys; for each bin of keys the
/// units that are read; the keys; the inputs with a row in the cutoff's bin; the answer.
struct Workspace {
    double* weights;
    std::uint32_t* counts;
    std::uint8_t* units_of_bin;
    std::uint32_t *keys, *places;
    std::uint8_t* units;
    float scale;      ///< of v
    int most, least;  ///< bins of the largest key, and of the smallest that is not 0

    Workspace(const Question& q, std::span<std::byte> scratch) noexcept {
        weights = reinterpret_cast<double*>(scratch.data());
        counts = reinterpret_cast<std::uint32_t*>(scratch.data());
        units_of_bin = reinterpret_cast<std::uint8_t*>(weights + bins);
        keys = reinterpret_cast<std::uint32_t*>(units_of_bin + room);
        places = keys + q.inputs;
        units = reinterpret_cast<std::uint8_t*>(places + q.inputs);
        scale = unit_scale(q.v, q.inputs);
        const float by = scale;
        for (std::int64_t i = 0; i < q.inputs; ++i)
            keys[i] = std::bit_cast<std::uint32_t>(std::fabs(q.v[i]) * by * q.importance[i]) & INT32_MAX;
        std::int32_t largest = 0, below_smallest = INT32_MAX;  // of those that are not 0
        for (std::int64_t i = 0; i < q.inputs; ++i) {
            largest = std::max(largest, static_cast<std::int32_t>(keys[i]));
            below_smallest = std::min(below_smallest, static_cast<std::int32_t>((keys[i] - 1) & INT32_MAX));
        }
        most = largest >> fall_shift, least = (std::min(below_smallest, largest - 1) + 1) >> fall_shift;
    }
};
static_assert(sizeof(double) * bins >= sizeof(std::uint32_t) * room && room % sizeof(std::uint32_t) == 0);

template <class Sum>
struct Threshold {
    std::uint32_t worth = 0;  ///< rows worth more than this stay below the limit in all
    Sum above{};              ///< the weight of those rows
    std::int64_t inside = 0;  ///< inputs with a row in the cutoff's bin
};

/// Adds up bins from the top one down: the bin that reaches the limit, or -1.
template <class Sum>
int descend(const Sum* weights, int count, Sum limit, Sum& above) noexcept {
    int bin = count - 1;
    for (; bin >= 0 && above + weights[bin] < limit; --bin) above += weights[bin];
    return bin;
}

/// The bin that brings the bytes to the limit. Keys are counted, not rows: a bin has as many rows of unit u as there
/// are keys in the bin that lies falls[u] above it.
int bin_by_bytes(const Question& q, const Workspace& workspace, std::int64_t limit, std::int64_t& above) noexcept {
    constexpr int block = 64;
    const int lowest = std::max(1, workspace.least - static_cast<int>(q.falls[q.units - 1])) / block * block;
    std::fill(workspace.counts + lowest,
              workspace.counts + std::min(room, workspace.most + block + static_cast<int>(most_fall)), 0u);
    for (std::int64_t i = 0; i < q.inputs; ++i) ++workspace.counts[workspace.keys[i] >> fall_shift];
    for (int first = workspace.most / block * block; first >= lowest; first -= block) {
        std::int64_t weights[block] = {};
        for (int u = 0; u < q.units; ++u) {
            const std::uint32_t* counts = workspace.counts + first + q.falls[u];
            for (int b = 0; b < block; ++b) weights[b] += q.unit_bytes[u] * std::int64_t{counts[b]};
        }
        if (first == 0) weights[0] = limit;  // worths clamped to 0 land there: it always reaches the limit
        const int bin = descend(weights, block, limit, above);
        if (bin >= 0) return first + bin;
    }
    return 0;
}

/// Sets, for each bin of keys, how many units lie above `bin`; lists the inputs that have a unit in it.
std::int64_t split_by(const Question& q, const Workspace& workspace, int bin) noexcept {
    constexpr std::uint8_t in_question = 255;
    std::uint8_t* const of = workspace.units_of_bin;
    std::uint8_t* from = of;
    for (int u = 0; u < q.units; ++u) {
        std::uint8_t* const end = of + bin + q.falls[u] + 1;
        std::fill(from, end, static_cast<std::uint8_t>(u));
        from = end;
    }
    std::fill(from, std::max(from, of + workspace.most + 1), static_cast<std::uint8_t>(q.units));
    for (int u = 0; u < q.units; ++u) of[bin + static_cast<int>(q.falls[u])] = in_question;
    if (bin == 0) std::fill_n(of, q.falls[q.units - 1] + 1, in_question);
    std::int64_t inside = 0;
    const std::uint32_t* const keys = workspace.keys;  // in registers: bytes could be written over what points to them
    std::uint32_t* const places = workspace.places;
    std::uint8_t* const units = workspace.units;
    for (std::int64_t i = 0, inputs = q.inputs; i < inputs; ++i) {
        const std::uint8_t of_key = of[keys[i] >> fall_shift];
        units[i] = of_key;
        places[inside] = static_cast<std::uint32_t>(i);
        inside += of_key == in_question;
    }
    return inside;
}

/// The largest worth in the bin such that the rows worth at least that much weigh `limit` or more.
template <class Sum, class WeightOf>
Threshold<Sum> find_in(const Question& q, const Workspace& workspace, int bin, Sum limit, Sum above,
                       const WeightOf& weight_of) noexcept {
    Threshold<Sum> found{static_cast<std::uint32_t>(bin) << fall_shift, above, split_by(q, workspace, bin)};
    constexpr int step = fall_shift / 2;
    for (int shift = step; shift >= 0; shift -= step) {
        Sum weights[1 << step] = {};
        const std::uint32_t prefix = found.worth >> (shift + step);
        for (std::int64_t p = 0; p < found.inside; ++p)
            for (int u = 0; u < q.units; ++u) {
                const std::uint32_t worth = worth_of(workspace.keys[workspace.places[p]], q.falls[u]);
                if (worth >> (shift + step) == prefix)
                    weights[worth >> shift & ((1u << step) - 1)] += weight_of(u, workspace.places[p]);
            }
        found.worth |= static_cast<std::uint32_t>(std::max(0, descend(weights, 1 << step, limit, found.above)))
                       << shift;
    }
    return found;
}

/// Takes the rows above the threshold, then those at it while `fits(unit, input)` says so.
template <class Sum, class Fits>
Selection take(const Question& q, const Workspace& workspace, const Threshold<Sum>& at, const Fits& fits) noexcept {
    Selection chosen{workspace.units};
    for (std::int64_t p = 0; p < at.inside; ++p) {
        const std::uint32_t i = workspace.places[p];
        workspace.units[i] = 0;
        while (workspace.units[i] < q.units && worth_of(workspace.keys[i], q.falls[workspace.units[i]]) > at.worth)
            ++workspace.units[i];
    }
    bool open = true;
    for (int u = 0; u < q.units && open; ++u)
        for (std::int64_t p = 0; p < at.inside && open; ++p) {
            const std::uint32_t i = workspace.places[p];
            if (worth_of(workspace.keys[i], q.falls[u]) != at.worth) continue;
            open = fits(u, i);
            if (open) ++workspace.units[i];
        }
    chosen.cutoff = static_cast<double>(std::bit_cast<float>(at.worth)) / static_cast<double>(workspace.scale);
    tally(q, chosen);
    return chosen;
}

}  // namespace

void tally(const Question& q, Selection& chosen) noexcept {
    std::int64_t inputs_of[2][33] = {};  // of which so many units are read; by turns, as all sums
    const float *const v = q.v, *const of_none = q.left;
    const std::uint8_t* const units = chosen.units;
    const std::int64_t inputs = q.inputs;
    const auto add = [&](std::int64_t i, double& left, double& all, std::int64_t* counts) {
        const double square = static_cast<double>(v[i]) * static_cast<double>(v[i]);
        left += square * static_cast<double>(of_none[units[i] * inputs + i]);
        all += square * static_cast<double>(of_none[i]);
        ++counts[units[i]];
    };
    double even_left = 0, even_all = 0, odd_left = 0, odd_all = 0;
    std::int64_t i = 0;
    for (; i + 1 < inputs; i += 2)
        add(i, even_left, even_all, inputs_of[0]), add(i + 1, odd_left, odd_all, inputs_of[1]);
    if (i < inputs) add(i, even_left, even_all, inputs_of[0]);
    chosen.left += even_left + odd_left, chosen.all += even_all + odd_all;
    std::int64_t bytes = 0;
    for (int k = 1; k <= q.units; ++k) {
        bytes += q.unit_bytes[k - 1];
        const std::int64_t count = inputs_of[0][k] + inputs_of[1][k];
        chosen.rows += k * count, chosen.bytes += bytes * count;
    }
}

std::size_t selection_bytes(std::int64_t inputs) noexcept {
    return static_cast<std::size_t>(9 * inputs + room) + sizeof(double) * bins;
}

Selection select_by_bytes(const Question& q, std::int64_t bytes, std::span<std::byte> scratch) noexcept {
    const Workspace workspace(q, scratch);
    std::int64_t spent = 0;
    const int bin = bytes > 0 ? bin_by_bytes(q, workspace, bytes, spent) : bins - 1;
    const auto found = find_in(q, workspace, bin, bytes, spent, [&q](int u, std::int64_t) { return q.unit_bytes[u]; });
    spent = found.above;
    return take(q, workspace, found, [&](int u, std::int64_t) {
        spent += q.unit_bytes[u];
        return spent <= bytes;
    });
}

Selection select_by_error(const Question& q, double square_of_error, std::span<std::byte> scratch) noexcept {
    const Workspace workspace(q, scratch);
    const auto brings = [&q](int u, std::int64_t i) {
        const double v = static_cast<double>(q.v[i]);
        return v * v *
               (static_cast<double>(q.left[u * q.inputs + i]) - static_cast<double>(q.left[(u + 1) * q.inputs + i]));
    };
    double all = 0;
    std::fill_n(workspace.weights, workspace.most + 1, 0.);
    for (std::int64_t i = 0; i < q.inputs; ++i) {
        all += static_cast<double>(q.v[i]) * static_cast<double>(q.v[i]) * static_cast<double>(q.left[i]);
        for (int u = 0; u < q.units; ++u)
            workspace.weights[worth_of(workspace.keys[i], q.falls[u]) >> fall_shift] += brings(u, i);
    }
    const double wanted = all * (1 - square_of_error);
    workspace.weights[0] = HUGE_VAL;  // so that it ends even if roundings keep the sum below the limit
    double brought = 0;
    const int bin = descend(workspace.weights, workspace.most + 1, wanted, brought);
    const auto found = find_in(q, workspace, bin, wanted, brought, brings);
    brought = found.above;
    return take(q, workspace, found, [&](int u, std::int64_t i) {
        const bool more = brought < wanted;
        brought += brings(u, i);
        return more;
    });
}

}  // namespace tw::effort
