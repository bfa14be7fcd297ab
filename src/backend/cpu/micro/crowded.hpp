// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// When the caches have no place for an operand that is read where it lies.
#pragma once

#include <algorithm>

#include "backend/contract.hpp"
#include "backend/cpu/micro/micro_kernel.hpp"
#include "backend/cpu/product/blocks.hpp"
#include "base/caches.hpp"

namespace tw::cpu {

/// A strip's rows, each met by all of A, that L1 does not keep: they fight for its sets, or all operands together leave
/// L2. Tiles of 32-byte vectors have too little to do for each line of B to wait for it; wider ones have not.
template <class T>
bool is_crowded(const MicroKernel<T>& kernel, const Problem& p, std::int64_t least_side) noexcept {
    constexpr std::int64_t size = sizeof(T), line = 64;
    if (kernel.lanes * size > 32 || std::min({p.m, p.n, p.k}) < least_side) return false;
    const std::int64_t sets = caches().sets_of_l1();
    if ((p.m * p.n + (p.m + p.n) * p.k) * size > caches().l2.bytes) return true;
    const std::int64_t step = (p.c == Form::col_major ? p.m : p.n) * size / line;  // from one row of B to the next
    const std::int64_t apart = std::min(step & -step, sets);
    return step > 0 && p.k > sets / apart * caches().l1.ways;
}

/// Nanoseconds that it takes to read an A that L3 does not keep once more for each further strip of B: some rows at a
/// time, each from a page of its own.
template <class T>
double reading_again(const MicroKernel<T>& kernel, const Problem& p) noexcept {
    constexpr double a_byte = 0.14;
    constexpr std::int64_t least_l3 = 1 << 24;  // also where nobody tells of one
    const bool turned = p.c == Form::col_major;
    const std::int64_t bytes = (turned ? p.n : p.m) * p.k * std::int64_t{sizeof(T)};
    const std::int64_t strips = ceil_div(turned ? p.m : p.n, kernel.widths[kernel.low]);
    const bool is_kept = 2 * bytes < std::max(caches().l3.bytes, least_l3);
    return is_kept ? 0 : a_byte * static_cast<double>(bytes) * static_cast<double>(strips - 1);
}

}  // namespace tw::cpu
