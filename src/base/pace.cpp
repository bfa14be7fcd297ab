// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/pace.hpp"

#include <algorithm>
#include <atomic>

namespace tw {
namespace {

constinit const Pace nothing_measured{};
constinit std::atomic<const Pace*> settled{nullptr};

/// The first to settle it wins.
const Pace& settle(const Pace& wanted) noexcept {
    const Pace* known = nullptr;
    return settled.compare_exchange_strong(known, &wanted, std::memory_order_acq_rel) ? wanted : *known;
}

}  // namespace

double RowPace::nanoseconds(std::int64_t rows, std::int64_t cols, std::int64_t k, int size,
                            bool along_k) const noexcept {
    const double f32s = size / 4.0, results = static_cast<double>(rows) * static_cast<double>(cols);
    const double terms = static_cast<double>(k), of_b = terms * static_cast<double>(cols) * size;
    return results * terms * f32s * (along_k ? product_along_k : product) + of_b * (along_k ? byte_along_k : byte) +
           results * size * result_byte;
}

double Pace::products_worth_a_thread() const noexcept {
    constexpr double unmeasured = 1 << 16, least = 1 << 16, most = 1 << 19;
    constexpr double reached = 0.42;  // products for each flop of the peak
    return start > 0 ? std::clamp(start * reached * gflops, least, most) : unmeasured;
}

const Pace& pace() noexcept {
    const Pace* const known = settled.load(std::memory_order_acquire);
    return known ? *known : settle(nothing_measured);
}

void set_pace(const Pace& measured) noexcept { settle(measured); }

}  // namespace tw
