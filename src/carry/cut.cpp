// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "carry/cut.hpp"

#include <algorithm>

#include "carry/arena.hpp"
#include "carry/staging.hpp"
#include "plan/slabs.hpp"

namespace tw {
namespace {

// A tile of 2048 x 2048 keeps a large device busy for longer than its launch takes. A panel wider than 4096 takes long
// to upload, and the device is idle until the first two have arrived.
constexpr std::int64_t least_side = 2048, most_side = 4096;

Pieces overlapping(std::int64_t extent) noexcept {
    const std::int64_t size = std::clamp(extent / 4, least_side, most_side);
    return {extent, std::max<std::int64_t>(1, extent / size)};
}

void halve(Pieces& pieces) noexcept { pieces.count = std::min(pieces.most(), 2 * pieces.count); }

std::size_t bytes_of_tile(const Cut& cut, const Call& call) noexcept {
    const std::int64_t m = cut.m.largest(), n = cut.n.largest();
    const Matrix& residual = call.epilogue.residual;
    return matrix_bytes(call.c.type, m, n) + (residual.data ? matrix_bytes(residual.type, m, n) : 0);
}

std::size_t scratch_of_any_tile(const Cut& cut, const Plan& plan) noexcept {
    std::size_t most = 0;
    for (const std::int64_t m : cut.m.sizes())
        for (const std::int64_t n : cut.n.sizes())
            most = std::max(most, aligned_scratch_bytes(plan_of_tile(plan, m, n, cut.k.largest())));
    return most;
}

int at_most(std::int64_t count, int limit) noexcept { return static_cast<int>(std::min<std::int64_t>(count, limit)); }

/// Bytes uploaded: one operand once, the other once for each group of panels that stay.
double bytes_sent(const Cut& cut, const Call& call) noexcept {
    const double a =
        static_cast<double>(call.m()) * static_cast<double>(call.k()) * static_cast<double>(size_of(call.a.type));
    const double b =
        static_cast<double>(call.n()) * static_cast<double>(call.k()) * static_cast<double>(size_of(call.b.type));
    const auto rounds = [](const Pieces& pieces, int slots) {
        return static_cast<double>((pieces.count + slots - 1) / slots);
    };
    return cut.a_stays ? a + b * rounds(cut.m, cut.a_slots) : b + a * rounds(cut.n, cut.b_slots);
}

}  // namespace

std::int64_t Pieces::begin(std::int64_t i) const noexcept {
    return i >= count ? extent : (most() / count * i + most() % count * i / count) * unit;
}

std::int64_t Pieces::largest() const noexcept { return std::min(extent, (most() + count - 1) / count * unit); }

std::array<std::int64_t, 3> Pieces::sizes() const noexcept {
    return {largest(), std::min(extent, most() / count * unit), size(count - 1)};
}

Plan plan_of_tile(const Plan& whole, std::int64_t m, std::int64_t n, std::int64_t k) noexcept {
    Plan part = whole;
    part.problem.m = m, part.problem.n = n, part.problem.k = k;
    return part;
}

std::size_t device_bytes(const Cut& cut, const Plan& plan, const Call& call) noexcept {
    const auto times = [](int slots, std::size_t bytes) { return static_cast<std::size_t>(slots) * bytes; };
    const std::size_t bias = call.epilogue.bias ? matrix_bytes(call.epilogue.bias_type, 1, call.epilogue.bias_size) : 0;
    return bias + times(cut.a_slots, matrix_bytes(call.a.type, cut.m.largest(), cut.k.largest())) +
           times(cut.b_slots, matrix_bytes(call.b.type, cut.k.largest(), cut.n.largest())) +
           times(cut.c_slots, bytes_of_tile(cut, call)) + scratch_of_any_tile(cut, plan);
}

bool cut_for(const Plan& plan, const Call& call, std::size_t memory, Cut& cut) noexcept {
    const auto fits = [&](const Cut& one) { return device_bytes(one, plan, call) <= memory; };
    cut = {overlapping(call.m()), overlapping(call.n()), {call.k(), 1}};
    cut.a_slots = at_most(cut.m.count, Cut::most_slots), cut.b_slots = at_most(cut.n.count, Cut::most_slots);
    cut.c_slots = at_most(cut.tiles(), Cut::most_tiles);
    if (cut.holds_all() && fits(cut)) return true;

    const auto take_turns = [&] {
        cut.a_slots = at_most(cut.m.count * cut.k.count, 2), cut.b_slots = at_most(cut.n.count * cut.k.count, 2);
        cut.c_slots = at_most(cut.tiles(), 2);
    };
    // Between the slabs of a cut k the sum is kept in C, so C's type must be as wide as the sum's.
    const bool k_may_be_cut = size_of(call.c.type) >= sizeof(float) && !has_slabs(plan.options);
    for (take_turns(); !fits(cut); take_turns()) {
        Pieces& wider = cut.m.largest() >= cut.n.largest() ? cut.m : cut.n;
        Pieces& thinner = &wider == &cut.m ? cut.n : cut.m;
        if (wider.count < wider.most()) halve(wider);
        else if (thinner.count < thinner.most()) halve(thinner);
        else if (k_may_be_cut && cut.k.count < cut.k.most()) halve(cut.k);
        else return false;
    }
    if (cut.k.count > 1) return true;

    Cut other = cut;
    other.a_stays = false;
    const auto grow = [&](Cut& one, int& slots, std::int64_t count) {
        while (slots < at_most(count, Cut::most_slots)) {
            ++slots;
            if (!fits(one)) return void(--slots);
        }
    };
    grow(cut, cut.a_slots, cut.m.count);
    grow(other, other.b_slots, other.n.count);
    if (bytes_sent(other, call) < bytes_sent(cut, call)) cut = other;
    grow(cut, cut.c_slots, at_most(cut.tiles(), 4));
    return true;
}

bool TileOrder::next(std::int64_t& i, std::int64_t& j) noexcept {
    return cut_.holds_all() ? next_with_all_panels(i, j) : next_in_group(i, j);
}

bool TileOrder::next_with_all_panels(std::int64_t& i, std::int64_t& j) noexcept {
    const std::int64_t rows = cut_.m.count, cols = cut_.n.count;
    for (;;) {
        // Column `step` down to row step - 1, then row `step` up to column `step`.
        const bool exists = in_row_ ? step_ < rows : step_ < cols;
        const std::int64_t end = in_row_ ? std::min(step_ + 1, cols) : std::min(step_, rows);
        if (exists && along_ < end) {
            i = in_row_ ? step_ : along_, j = in_row_ ? along_ : step_;
            ++along_;
            return true;
        }
        along_ = 0;
        if (in_row_ && ++step_ >= std::max(rows, cols)) return false;
        in_row_ = !in_row_;
    }
}

bool TileOrder::next_in_group(std::int64_t& i, std::int64_t& j) noexcept {
    const std::int64_t staying = cut_.a_stays ? cut_.m.count : cut_.n.count,
                       passing = cut_.a_stays ? cut_.n.count : cut_.m.count;
    const std::int64_t slots = cut_.a_stays ? cut_.a_slots : cut_.b_slots, first = group_ * slots;
    if (first >= staying) return false;
    const std::int64_t stays = first + along_, passes = group_ % 2 == 0 ? step_ : passing - 1 - step_;
    i = cut_.a_stays ? stays : passes, j = cut_.a_stays ? passes : stays;
    if (++along_ < std::min(slots, staying - first)) return true;
    along_ = 0;
    if (++step_ < passing) return true;
    step_ = 0;
    ++group_;
    return true;
}

}  // namespace tw
