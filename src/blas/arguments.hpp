// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The arguments of a gemm as BLAS passes them, and netlib's checks of them, in netlib's order.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tilewright/view.hpp"

namespace tw::blas {

enum class Transpose : std::uint8_t { no, yes, conj, illegal };

/// Fortran's letters; a real matrix is its own conjugate.
constexpr Transpose transpose_of(char letter) noexcept {
    switch (letter) {
        case 'N':
        case 'n': return Transpose::no;
        case 'T':
        case 't': return Transpose::yes;
        case 'C':
        case 'c': return Transpose::conj;
        default: return Transpose::illegal;
    }
}

enum : int { row_major = 101, column_major = 102, upper = 121, lower = 122 };  // of cblas.h

/// CblasNoTrans, CblasTrans and CblasConjTrans.
constexpr Transpose transpose_of(int setting) noexcept {
    return setting == 111   ? Transpose::no
           : setting == 112 ? Transpose::yes
           : setting == 113 ? Transpose::conj
                            : Transpose::illegal;
}

/// op(X), rows x cols, of an X stored with leading dimension ld.
template <class T>
Matrix operand(const T* data, std::int64_t rows, std::int64_t cols, std::int64_t ld, Transpose transpose,
               bool by_rows = false) noexcept {
    const bool ld_between_rows = by_rows != (transpose != Transpose::no);
    const View<const T> view(data, rows, cols, ld_between_rows ? ld : 1, ld_between_rows ? 1 : ld);
    return erase(transpose == Transpose::conj ? view.conjugated() : view);
}

/// Everything of a gemm but its numbers.
struct Shape {
    Transpose of_a, of_b;
    std::int64_t m, n, k, lda, ldb, ldc;

    /// The same product as column-major Fortran would be asked for it by a row-major caller: C' = op(B)' op(A)'.
    constexpr Shape swapped() const noexcept { return {of_b, of_a, n, m, k, ldb, lda, ldc}; }
};

/// The position, in Fortran's ?gemm, of the first wrong argument; 0 when all are right.
constexpr int first_wrong(const Shape& s) noexcept {
    const auto short_of = [](std::int64_t ld, std::int64_t rows) { return ld < std::max<std::int64_t>(1, rows); };
    if (s.of_a == Transpose::illegal) return 1;
    if (s.of_b == Transpose::illegal) return 2;
    if (s.m < 0) return 3;
    if (s.n < 0) return 4;
    if (s.k < 0) return 5;
    if (short_of(s.lda, s.of_a == Transpose::no ? s.m : s.k)) return 8;
    if (short_of(s.ldb, s.of_b == Transpose::no ? s.k : s.n)) return 10;
    if (short_of(s.ldc, s.m)) return 13;
    return 0;
}

/// The same argument's position in the call as it was made, of a position in the swapped one.
constexpr int unswapped(int position) noexcept {
    switch (position) {
        case 1: return 2;
        case 2: return 1;
        case 3: return 4;
        case 4: return 3;
        case 8: return 10;
        case 10: return 8;
        default: return position;
    }
}

}  // namespace tw::blas
