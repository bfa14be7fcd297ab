// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// r10_split_sampled: digits of int8 where they suit the operands, parts of bf16 where they do not. A few rows of A and
// columns of B are looked at as packing would look at all of them: where digits would send one in eight to FMA, parts
// are quicker.
//
//     16 rows of A, 16 columns of B  ->  all but 2 have 11 of 16 elements that reach a 16th of their largest  -> int8x8
//                                        else: many zeros, a few large elements                               -> bf16x6
//
// Needs: what both need; 32 rows of one block of k are read once more than else. Each answers for itself, so the sample
// decides about speed alone; but neighbours decide with it, so that a row's bits follow from the whole call. Gained
// over bf16x6: a quarter of the time where operands are dense.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "backend/cpu/digits/digits.hpp"
#include "backend/cpu/ladder.hpp"
#include "backend/cpu/product/parallel.hpp"
#include "backend/cpu/unit/window.hpp"
#include "base/cpu_features.hpp"
#include "tilewright/view.hpp"

namespace tw::cpu {
namespace {

constexpr std::int64_t sample = 16, most_unsuited = 2;
constexpr float least = 0x1p-40f, too_large = 0x1p58f;
static_assert(window_begin == (127u - 40u) << 23 && window_end == (127u + 58u) << 23);

bool suits(const View<const float>& row, std::int64_t k) {
    float largest = 0;
    for (std::int64_t p = 0; p < k; ++p) largest = std::max(largest, std::fabs(row(0, p)));
    if (largest == 0) return true;
    if (!(largest >= least && largest < too_large)) return false;
    std::int64_t reaching = 0;
    for (std::int64_t p = 0; p < k; ++p) reaching += std::fabs(row(0, p)) >= largest / 16;
    return 16 * reaching >= 11 * k;
}

/// Rows of A and columns of B, each looked at by whoever is free: a column's elements may all lie on pages of their
/// own.
bool suits_digits(const Call& call) {
    const View<const float> sides[2] = {typed<const float>(call.a), typed<const float>(call.b).transposed()};
    std::atomic<int> unsuited[2]{};
    share_out(call, 2 * sample, [&](int, std::int64_t item) {
        const std::int64_t side = item / sample, i = item % sample;
        const View<const float>& rows = sides[side];
        const std::int64_t k = std::min(rows.cols, digits_block), count = std::min(rows.rows, sample);
        if (i < count && !suits(rows.block(i * rows.rows / count, 0, 1, k), k))
            unsuited[side].fetch_add(1, std::memory_order_relaxed);
    });
    const auto few = [&](int side) {
        return unsuited[side].load() * sample <= most_unsuited * std::min(sides[side].rows, sample);
    };
    return few(0) && few(1);
}

template <const Kernel& digits, const Kernel& parts>
struct Sampled {
    /// Parts take twice the room of digits, and four times the depth.
    static const Tile& blocks_of_parts() { return parts.tiles.front(); }
    static std::size_t scratch_bytes(const Problem& p, const Tile& blocks, int threads) {
        return std::max(digits.scratch_bytes(p, blocks, threads), parts.scratch_bytes(p, blocks_of_parts(), threads));
    }
    static Status run(const Call& call, const Tile& blocks) {
        return suits_digits(call) ? digits.run(call, blocks) : parts.run(call, blocks_of_parts());
    }
    static double sum_bound(std::int64_t k) {
        return std::max(digits.sum_bound(k), certificate(parts, k) - digits.scheme->split_loss);
    }
    /// Digits' own rate, which their rows tell lower than it is. Many threads fetch panels from each other's caches.
    static double nanoseconds(const Problem& p, int threads) {
        const int workers = workers_for(p.m, p.n, p.k, threads);
        const double shared = 1 + 0.43 * share_of_many(workers);
        return 0.68 * shared * digits.nanoseconds(p, threads) + waiting_for_panels(p.k, workers);
    }
};

constexpr Tile tiles[] = {{4096, 512, 512}, {4096, 256, 512}, {4096, 128, 512}};

template <const Kernel& digits, const Kernel& parts>
constexpr Kernel row(const char* name, Features needs) {
    return {.name = name,
            .rung = Rung::split,
            .in = Type::f32,
            .out = Type::f32,
            .sum = Type::f32,
            .scheme = &int8x8,
            .needs = needs,
            .tiles = tiles,
            .fuses_epilogue = true,
            .idea = "a few rows are looked at: eight products of int8 digits where they suit, else six of bf16 parts",
            .sum_bound = Sampled<digits, parts>::sum_bound,
            .nanoseconds = Sampled<digits, parts>::nanoseconds,
            .scratch_bytes = Sampled<digits, parts>::scratch_bytes,
            .run = Sampled<digits, parts>::run};
}

}  // namespace

#if defined(__x86_64__)
constinit const Kernel r10_split_amx_sampled = row<r10_split_amx_int8x8, r10_split_amx_bf16x6>(
    "cpu.r10_split_sampled.f32.amx", cpu_feature::amx_int8 | cpu_feature::amx_bf16);
#endif
constinit const Kernel r10_split_emulated_sampled =
    row<r10_split_emulated_int8x8, r10_split_emulated_bf16x6>("cpu-check.r10_split_sampled.f32", 0);

}  // namespace tw::cpu
