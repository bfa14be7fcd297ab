// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Options::slabs: the one way in which k is cut where bits are promised. k is halved, and each half again, until there
// are so many slabs; of an odd number the first half is the longer:
//
//   k = 13, 4 slabs:      13           The sum of a node is that of its first half plus that of its second, rounded
//                       /    \         once. So any node computed by itself, with as many slabs as lie under it, has
//                      7      6        the bits that it has within the whole.
//                     / \    / \       A slab without terms (k < slabs) is left out, not added.
//                    4   3  3   3
//
// Nothing here depends on m, n, threads or devices.
#pragma once

#include "tilewright/plan.hpp"

namespace tw {

/// The most slabs, and levels of additions, that there may be: accuracy pays for so many, whatever is asked for, since
/// a part and the whole must choose alike.
inline constexpr int most_slabs = 1024, most_levels = 10;

/// False for numbers that are neither 0 nor a power of two up to most_slabs.
constexpr bool may_be_slabs(int slabs) noexcept {
    return slabs >= 0 && slabs <= most_slabs && (slabs & (slabs - 1)) == 0;
}

constexpr bool has_slabs(const Options& options) noexcept { return options.slabs > 1; }

/// One slab is all of k, by a kernel that any part of k takes too.
constexpr bool is_reproducible(const Options& options) noexcept { return options.reproducible || options.slabs > 0; }

constexpr std::int64_t first_half(std::int64_t k) noexcept { return (k + 1) / 2; }
constexpr std::int64_t longest_slab(std::int64_t k, int slabs) noexcept { return (k + slabs - 1) / slabs; }
constexpr std::int64_t shortest_slab(std::int64_t k, int slabs) noexcept { return k / slabs; }

/// f(its number, its first k, its length) for one slab after the other, those without terms left out.
template <class F>
void for_each_slab(std::int64_t k, int slabs, const F& f) {
    for (int number = 0; number < slabs; ++number) {
        std::int64_t first = 0, length = k;
        for (int half = slabs / 2; half > 0; half /= 2) {
            const std::int64_t left = first_half(length);
            const bool is_right = (number & half) != 0;
            first += is_right ? left : 0;
            length = is_right ? length - left : left;
        }
        if (length > 0) f(number, first, length);
    }
}

/// What partial sums are.
constexpr Type sum_type(Type in) noexcept { return in == Type::f64 || is_complex(in) ? in : Type::f32; }

/// The problem that one of so many slabs poses to a kernel: its k, and a C that holds sums, unless it is all of k. An
/// accuracy that is a number leaves some of it to the tree; by a name, a longer k is allowed more than the tree takes.
Problem problem_of_slab(const Problem& whole, int slabs, std::int64_t length) noexcept;

/// What a kernel is chosen for: the whole product, or the longest of its slabs.
inline Problem problem_of_kernel(const Problem& problem, const Options& options) noexcept {
    return options.slabs > 0 ? problem_of_slab(problem, options.slabs, longest_slab(problem.k, options.slabs))
                             : problem;
}

/// How many slabs a row sums in one call, all sums of a tile of C in the first cache: those of a whole node of the
/// tree.
int slabs_at_once(const Kernel& kernel, std::int64_t k, int slabs) noexcept;

/// How many such nodes a row sums in one call by so many threads: all, whose sums stay in the caches, or one. `sums`
/// is the product whose C is sums.
int nodes_at_once(const Kernel& kernel, const Problem& sums, const Tile& tile, int threads, int slabs);

/// Narrow operands are widened once for all slabs; when only some of them want that, each slab does it for itself.
bool widens_all_slabs(const Plan& plan) noexcept;

}  // namespace tw
