// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How few_rows_wide shares a product out over blocks and their warps: by its shape alone, so that the bits do not
// depend on the chip.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "backend/cuda/tiles/chip_of_parts.hpp"
#include "tilewright/types.hpp"

namespace tw::cuda::few {

inline constexpr int wide_warps = 8, wide_rows_along = 2;
/// Rows of A that a block takes: of c128 more would leave a multiprocessor one block.
constexpr int wide_most(std::size_t size) { return static_cast<int>(64 / size); }

struct WideShares {
    int passes;         ///< blocks that take the same weights for other rows of A
    int groups;         ///< of a block's warps, each with its own rows of weights; the warps of a group share k
    int parts, length;  ///< of k, for other blocks

    constexpr int slices() const { return wide_warps / groups; }
    /// Where the parts' sums stand.
    constexpr std::size_t bytes(std::int64_t few, std::int64_t rows, std::size_t size, std::int64_t products) const {
        return parts == 1 ? 0 : (static_cast<std::size_t>(few * rows * products * parts) * size + 127) / 128 * 128;
    }
};

namespace wide {

/// Bytes a nanosecond: of all multiprocessors, of a block alone on one, and of each of two.
constexpr double of_memory = 4100, of_one = 28, of_two = 22.5;
constexpr double adding = 3000;  ///< the second kernel

constexpr std::int64_t rows_of_block(const WideShares& by, bool along) {
    return along ? by.groups * wide_rows_along : 32 * by.groups;
}

/// Of the weights alone. A multiprocessor has two blocks at once, and a last wave of few takes as long as one of them:
/// 4 x 5120 x 13824 of f64 by 320 blocks took 182 us of 136.
constexpr double time(const WideShares& by, std::int64_t rows, bool along, std::size_t size) {
    const std::int64_t of_block = rows_of_block(by, along), blocks = (rows + of_block - 1) / of_block * by.parts,
                       last = blocks % (2 * parts::chip);
    const auto bytes = [&](std::int64_t lines) {
        return static_cast<double>(lines) * static_cast<double>(by.length) * static_cast<double>(size);
    };
    const double of_last = last == 0 ? 0 : bytes(of_block) / (last > parts::chip ? of_two : of_one),
                 whole = bytes((blocks - last) * of_block) / of_memory;
    return std::max(bytes(rows * by.parts) / of_memory, whole + of_last) + (by.parts > 1 ? adding : 0);
}

}  // namespace wide

constexpr WideShares wide_shares(std::int64_t few, std::int64_t rows, std::int64_t k, bool along, std::size_t size) {
    WideShares best{static_cast<int>((few + wide_most(size) - 1) / wide_most(size)), along ? wide_warps : 1, 1,
                    static_cast<int>(k)};
    // A block of many rows reads the few rows from L2 less often.
    while (along && best.groups > 4 && wide::rows_of_block(best, along) * parts::chip > rows) best.groups /= 2;
    WideShares by = best;
    for (by.parts = 2; by.parts <= 64; by.parts *= 2) {
        by.length = static_cast<int>(((k + by.parts - 1) / by.parts + 31) / 32 * 32);
        if (by.length < 512 || std::int64_t{by.parts - 1} * by.length >= k) break;
        // What is counted is no surer than a twentieth.
        if (wide::time(by, rows, along, size) < 0.95 * wide::time(best, rows, along, size)) best = by;
    }
    return best;
}

/// Without the launch. TFLOP/s: what FMA has of each type with shared memory beside it.
constexpr double wide_nanoseconds(const WideShares& by, std::int64_t few, std::int64_t rows, std::int64_t k, Type type,
                                  bool along) {
    const double tera = type == Type::c64 ? 20 : type == Type::c128 ? 13 : 12;
    const double flops = (is_complex(type) ? 8.0 : 2.0) * static_cast<double>(few) * static_cast<double>(rows * k);
    const double time = std::max(wide::time(by, rows, along, size_of(type)), flops / (tera * 1e3));
    // Of doubles more than 4 rows keep the weights waiting: 8 x 14336 x 4096 was seen at 150 us, 4 rows at 115.
    return type != Type::c64 && few > 4 ? 1.25 * time : time;
}

}  // namespace tw::cuda::few
