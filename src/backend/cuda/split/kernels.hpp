// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The ways of splitting, by which direction of the operands is contiguous. Slabs of k are the grid's second dimension.
#pragma once

#include "backend/cuda/split/split.hpp"

namespace tw::cuda {

/// Rows that can be read 16 bytes at a time where the row's length allows it.
inline bool starts_at_16(const Tensor<const float>& rows) {
    return reinterpret_cast<std::uintptr_t>(rows.data) % 16 == 0 && rows.layout.row_step % 4 == 0;
}

/// What blocks have found out of rows that they split across k: these go into the rows' notes.
struct Tallies {
    unsigned *classes, *units, *largest;  ///< of each row; the last of each slab of k
    int* notes;
    std::int64_t rows = 0, next = 0, next_notes = 0;  ///< the last two from one slab to the next

    Tallies() = default;
    explicit Tallies(const Splitting& one) noexcept
        : classes(one.tallies),
          units(classes + one.rows.layout.rows),
          largest(units + one.rows.layout.rows),
          notes(one.notes),
          rows(one.rows.layout.rows),
          next(one.next_tallies),
          next_notes(one.next_notes) {}

    __device__ Tallies of(std::int64_t slab) const {
        Tallies one = *this;
        one.classes += slab * next, one.units += slab * next, one.largest += slab * next;
        one.notes += slab * next_notes;
        return one;
    }
};

/// Operands whose k is not contiguous, but for what their tallies add to their notes.
Status split_across_k(const Splitting& one, Parts parts, int slabs, void* stream) noexcept;
/// Operands whose k is contiguous; and sets counters to 0, and ends the notes of others.
Status split_along_k(const Splitting& a, const Splitting& b, Parts parts, int slabs, unsigned* counters, int counted,
                     const Tallies (&others)[2], void* stream) noexcept;

/// Both operands at once, however they lie, whose k is short; and sets counters to 0.
inline constexpr std::int64_t longest_of_blocks = 1024;
Status split_by_blocks(const Splitting& a, const Splitting& b, Parts parts, int slabs, unsigned* counters, int counted,
                       void* stream) noexcept;

}  // namespace tw::cuda
