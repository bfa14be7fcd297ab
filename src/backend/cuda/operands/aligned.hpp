// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Operands of 16 bits as TMA wants them. Most are so already; one whose rows start at odd places, or whose
// steps are both not 1, is copied into scratch first, rows padded to 16 bytes.
#pragma once

#include "backend/contract.hpp"

namespace tw::cuda {

/// A: m rows along k. B: n rows along k, or, `across`, k rows along n as it lies in a row-major matrix.
struct AlignedRows {
    const void* data;
    std::int64_t step;  ///< elements from one row to the next
    bool across;
};

/// `possible` becomes false when an operand needs scratch and there is none for it: aligned_bytes() knows the shape,
/// not the address and the steps.
Status align_operands(const Call& call, AlignedRows& a, AlignedRows& b, bool& possible) noexcept;

/// Rows along the second direction, as TMA reads them, from `data` on.
bool is_aligned(Matrix m, const void* data) noexcept;

/// Scratch for the copies that the problem may need.
std::size_t aligned_bytes(const Problem& problem, const Tile& tile, int threads) noexcept;

/// An f32 matrix with contiguous columns becomes a copy with contiguous rows, where there is scratch for it.
Status turn(Matrix& m, std::span<std::byte>& scratch, void* stream) noexcept;
std::size_t turned_bytes(std::int64_t rows, std::int64_t cols) noexcept;

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
