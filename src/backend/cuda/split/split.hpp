// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 operands as parts of 16 bits, ready for TMA: each row scaled by a power of two so that its largest
// element lies in [2^14, 2^15), then cut into parts that follow one another every `depth` of k:
//
//    fp16x1   | 64 of fp16(x)           |                 128 bytes     one product, as exact as tf32
//    fp16x3   | 32 of hi   | 32 of lo   |                 128 bytes     lo*hi + hi*lo + hi*hi
//    bf16x6   | 32 of b0   | 32 of b1   | 32 of b2   |    192 bytes     the six products down to 2^-16
//
// as many bytes as the f32 row (half, and one and a half).
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "backend/contract.hpp"
#include "tilewright/layout.hpp"

namespace tw::cuda {

enum class Parts : unsigned char { fp16x1, fp16x3, bf16x6 };

struct PartsLayout {
    int depth;  ///< of k, from one group of parts to the next
    int parts;
    constexpr int width() const noexcept { return depth * parts; }  ///< elements of a group
};
constexpr PartsLayout layout_of(Parts parts) noexcept {
    return parts == Parts::fp16x1   ? PartsLayout{64, 1}
           : parts == Parts::fp16x3 ? PartsLayout{32, 2}
                                    : PartsLayout{32, 3};
}

/// Elements of 16 bits from one row of parts to the next.
constexpr std::int64_t parts_pitch(Parts parts, std::int64_t k) noexcept {
    const PartsLayout layout = layout_of(parts);
    return (k + layout.depth - 1) / layout.depth * layout.depth * layout.parts;
}

/// Rows whose k isn't contiguous are scanned in so many slabs of k, each by a block.
constexpr std::int64_t slabs_of(std::int64_t k) noexcept { return k <= 64 * 256 ? (k + 255) / 256 : 64; }
/// What the blocks that split them tell each other: the largest of each slab, and two numbers more of a row.
constexpr std::int64_t tallies_of(std::int64_t rows, std::int64_t k) noexcept { return (slabs_of(k) + 2) * rows; }

/// One operand on its way: `rows` lies as the operand does, with rows along k. Slabs of k are cut each as if it were
/// alone; `rows` is the first of them then, and a row's parts of all slabs lie side by side.
struct Splitting {
    Tensor<const float> rows;
    std::uint16_t* to;
    int* notes;                                                    ///< of each row, beside its parts: see notes.cuh
    unsigned* tallies;                                             ///< where k isn't contiguous
    std::int64_t next_rows = 0, next_notes = 0, next_tallies = 0;  ///< from one slab of k to the next
};

/// Rows that the product itself splits, beside its first tiles: warps that have nothing else to do claim them one by
/// one, those of B first, and count them off in blocks; whoever copies tiles of them waits for their blocks.
struct LateRows {
    static constexpr int block = 32;
    Splitting a, b;
    int a_first, b_first;       ///< rows in front of these are split already; multiples of a block, or all rows
    unsigned* claimed;          ///< rows that somebody has taken
    unsigned *a_done, *b_done;  ///< rows done, of each block
    int slabs = 1;              ///< of k

    /// All but so many rows of each, if they can be read 16 bytes at a time.
    void leave(std::int64_t a_wanted, std::int64_t b_wanted) noexcept;

    static std::size_t counters(std::int64_t a_rows, std::int64_t b_rows) {
        return static_cast<std::size_t>(1 + (a_rows + block - 1) / block + (b_rows + block - 1) / block);
    }
};

/// The rows of both operands in front of the late ones, and counters of 0: in one launch where k is contiguous in both,
/// or short.
Status split_first(const LateRows& late, Parts parts, void* stream) noexcept;

}  // namespace tw::cuda
