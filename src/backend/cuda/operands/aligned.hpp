// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands as TMA wants them. Most are so already; one whose rows start at odd places, or whose steps are both not 1,
// is copied into scratch first, rows padded to 16 bytes.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// A: m rows along k. B: n rows along k. Or, `across`, k rows along m or n, as they lie.
struct AlignedRows {
    const void* data;
    std::int64_t step;  ///< elements from one row to the next
    bool across;
};

/// Which operands of 16 bits a kernel reads across k, too. f32 is read along k alone.
enum class AsRead { b_across, both_across };

/// `possible` becomes false when an operand needs scratch and there is too little for it.
Status align_operands(const Call& call, AsRead how, AlignedRows& a, AlignedRows& b, bool& possible) noexcept;

/// What align_operands takes of scratch for these very addresses and steps.
std::size_t aligned_bytes_of(const Call& call, AsRead how) noexcept;

/// Rows along the second direction, as TMA reads them, from `data` on.
bool is_aligned(Matrix m, const void* data) noexcept;

/// The same from forms and sizes alone, for operands without gaps.
std::size_t aligned_bytes(const Problem& problem, AsRead how) noexcept;

/// An f32 matrix with contiguous columns becomes a copy with contiguous rows, where there is scratch for it.
Status turn(Matrix& m, std::span<std::byte>& scratch, void* stream) noexcept;
std::size_t turned_bytes(std::int64_t rows, std::int64_t cols) noexcept;

/// Seen from its other side, C has contiguous rows.
inline bool is_turned(const Call& call) noexcept { return call.c.col_step != 1 && call.c.row_step == 1; }

/// The same product from C's other side: C^T = B^T A^T, for a C that is column-major. Not for a bias, which goes by
/// columns.
inline Call across(Call call) noexcept {
    const Matrix a = call.a;
    call.a = call.b.transposed();
    call.b = a.transposed();
    call.c = call.c.transposed();
    call.epilogue.residual = call.epilogue.residual.transposed();
    return call;
}

}  // namespace tw::cuda
