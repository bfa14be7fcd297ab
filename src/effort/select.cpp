// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "effort/select.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "effort/importance.hpp"

namespace tw::effort {
namespace {

constexpr int bins = 2048;  // of 11, 10 and 10 bits: a worth's bits without the sign

/// The memory of one selection: bytes of the worths (not negative, so they are ordered as whole numbers are), places of
/// those in the bin of the cutoff, and the answer.
struct Desk {
    std::uint32_t* worths;
    std::uint32_t* places;
    std::uint8_t* units;

    Desk(const Question& q, std::span<std::byte> scratch) noexcept {
        const auto rows = static_cast<std::size_t>(q.inputs * q.units);
        worths = reinterpret_cast<std::uint32_t*>(scratch.data());
        places = worths + rows;
        units = reinterpret_cast<std::uint8_t*>(places + rows);
    }
};

void weigh(const Question& q, std::uint32_t* worths) noexcept {
    const float scale = unit_scale(q.v, q.inputs);
    for (int u = q.units; u-- > 0;)  // the first unit's are the keys of all
        for (std::int64_t i = 0; i < q.inputs; ++i) {
            if (u == q.units - 1) worths[i] = std::bit_cast<std::uint32_t>(std::fabs(q.v[i]) * scale * q.importance[i]) & 0x7fffffffu;
            worths[u * q.inputs + i] = worth_of(worths[i], q.falls[u]);
        }
}

template <class Sum>
struct Threshold {
    std::uint32_t worth = 0;  ///< rows worth more than this are below the limit together
    Sum above{};              ///< their weight
};

/// From the top bin down while all of it stays below the limit: the bin that reaches it, or -1.
template <class Sum>
int descend(const Sum* weights, int count, Sum limit, Sum& above) noexcept {
    int bin = count - 1;
    for (; bin >= 0 && above + weights[bin] < limit; --bin) above += weights[bin];
    return bin;
}

/// The largest worth such that the rows worth at least that much weigh `limit` or more; 0 when all together do not.
template <class Sum, class WeightOf>
Threshold<Sum> find_threshold(const Question& q, const Desk& desk, Sum limit, const WeightOf& weight_of) noexcept {
    Threshold<Sum> found;
    Sum weights[bins] = {};
    for (int u = 0; u < q.units; ++u)
        for (std::int64_t i = 0; i < q.inputs; ++i) weights[desk.worths[u * q.inputs + i] >> 20] += weight_of(u, i);
    const int high = descend(weights, bins, limit, found.above);
    if (high < 0) return found;
    const std::int64_t rows = q.inputs * q.units;
    std::int64_t inside = 0;
    for (std::int64_t r = 0; r < rows; ++r) {
        desk.places[inside] = static_cast<std::uint32_t>(r);
        inside += desk.worths[r] >> 20 == static_cast<std::uint32_t>(high);
    }
    found.worth = static_cast<std::uint32_t>(high) << 20;
    for (int shift = 10; shift >= 0; shift -= 10) {
        std::fill_n(weights, 1024, Sum{});
        const std::uint32_t prefix = found.worth >> (shift + 10);
        for (std::int64_t p = 0; p < inside; ++p) {
            const std::int64_t r = desk.places[p];
            if (desk.worths[r] >> (shift + 10) == prefix)
                weights[(desk.worths[r] >> shift) & 1023u] += weight_of(static_cast<int>(r / q.inputs), r % q.inputs);
        }
        const int bin = std::max(0, descend(weights, 1024, limit, found.above));
        found.worth |= static_cast<std::uint32_t>(bin) << shift;
    }
    return found;
}

/// Takes the rows above the threshold, then those at it while `fits(unit, input)` says so.
template <class Fits>
Selection take(const Question& q, const Desk& desk, std::uint32_t worth, const Fits& fits) noexcept {
    Selection chosen{desk.units};
    std::memset(desk.units, 0, static_cast<std::size_t>(q.inputs));
    for (int u = 0; u < q.units; ++u) {
        const std::uint32_t* worths = desk.worths + u * q.inputs;
        for (std::int64_t i = 0; i < q.inputs; ++i) desk.units[i] = static_cast<std::uint8_t>(desk.units[i] + (worths[i] > worth));
    }
    bool open = true;
    for (int u = 0; u < q.units && open; ++u)
        for (std::int64_t i = 0; i < q.inputs && open; ++i) {
            if (desk.worths[u * q.inputs + i] != worth) continue;
            open = fits(u, i);
            if (open) ++desk.units[i];
        }
    chosen.cutoff = static_cast<double>(std::bit_cast<float>(worth)) / static_cast<double>(unit_scale(q.v, q.inputs));
    tally(q, chosen);
    return chosen;
}

}  // namespace

void tally(const Question& q, Selection& chosen) noexcept {
    for (std::int64_t i = 0; i < q.inputs; ++i) {
        const double square = static_cast<double>(q.v[i]) * static_cast<double>(q.v[i]);
        chosen.left += square * static_cast<double>(q.left[chosen.units[i] * q.inputs + i]);
        chosen.all += square * static_cast<double>(q.left[i]);
        chosen.rows += chosen.units[i];
        for (int u = 0; u < chosen.units[i]; ++u) chosen.bytes += q.unit_bytes[u];
    }
}

float unit_scale(const float* v, std::int64_t count) noexcept {
    std::uint32_t most = 0;
    for (std::int64_t i = 0; i < count; ++i) most = std::max(most, std::bit_cast<std::uint32_t>(v[i]) & 0x7fffffffu);
    if (most >= 0x7f800000u) return 0;
    return most == 0 ? 1.f : std::ldexp(1.f, std::min(126, -std::ilogb(std::bit_cast<float>(most))));
}

std::size_t selection_bytes(std::int64_t inputs, int units) noexcept {
    return static_cast<std::size_t>(inputs) * (8 * static_cast<std::size_t>(units) + 1) + 64;
}

Selection select_by_bytes(const Question& q, std::int64_t bytes, std::span<std::byte> scratch) noexcept {
    const Desk desk(q, scratch);
    weigh(q, desk.worths);
    const auto found = find_threshold<std::int64_t>(q, desk, bytes, [&q](int u, std::int64_t) { return q.unit_bytes[u]; });
    std::int64_t spent = found.above;
    return take(q, desk, found.worth, [&](int u, std::int64_t) {
        spent += q.unit_bytes[u];
        return spent <= bytes;
    });
}

Selection select_by_error(const Question& q, double square_of_error, std::span<std::byte> scratch) noexcept {
    const Desk desk(q, scratch);
    weigh(q, desk.worths);
    const auto brings = [&q](int u, std::int64_t i) {
        const double v = static_cast<double>(q.v[i]);
        return v * v * (static_cast<double>(q.left[u * q.inputs + i]) - static_cast<double>(q.left[(u + 1) * q.inputs + i]));
    };
    double all = 0;
    for (std::int64_t i = 0; i < q.inputs; ++i) all += static_cast<double>(q.v[i]) * static_cast<double>(q.v[i]) * static_cast<double>(q.left[i]);
    const double wanted = all * (1 - square_of_error);
    const auto found = find_threshold<double>(q, desk, wanted, brings);
    double brought = found.above;
    return take(q, desk, found.worth, [&](int u, std::int64_t i) {
        const bool more = brought < wanted;
        brought += brings(u, i);
        return more;
    });
}

}  // namespace tw::effort
