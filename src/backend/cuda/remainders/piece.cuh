// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rows and k of an operand that a block converts together, copied into shared memory as the operand lies.
#pragma once

#include "backend/cuda/ptx/cp_async.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/remainders/remainders.cuh"

namespace tw::cuda {

/// An element to shared memory, 0 where it isn't valid; `at_sizes`: it lies at a multiple of its size.
template <class E>
__device__ void copy_element(std::uint32_t to, const E* from, bool valid, bool at_sizes) {
    constexpr int of_part = sizeof(E) / E::PARTS;
    if constexpr (E::PARTS == 1) {
        ptx::copy_8(to, from, valid);
    } else if (at_sizes) {
        if constexpr (of_part == 8) ptx::copy_16(to, from, valid ? 16 : 0);
        else ptx::copy_8(to, from, valid);
    } else {
#pragma unroll
        for (int i = 0; i < E::PARTS; ++i) {
            if constexpr (of_part == 8) ptx::copy_8(to + of_part * i, from->part + i, valid);
            else ptx::copy_4(to + of_part * i, from->part + i, valid);
        }
    }
}

/// As doubles, or as what its parts are.
template <class E, class Real>
__device__ void read_element(std::uint32_t from, Real (&parts)[E::PARTS]) {
    if constexpr (E::PARTS == 1) {
        parts[0] = ptx::load_double(from);
    } else if constexpr (sizeof(E) == 16) {
        const double2 two = ptx::load_two_doubles(from);
        parts[0] = two.x, parts[1] = two.y;
    } else {
        const double both = ptx::load_double(from);
        parts[0] = __int_as_float(__double2loint(both)), parts[1] = __int_as_float(__double2hiint(both));
    }
}

template <class E>
struct Piece {
    static constexpr int rows = 32 / E::PARTS, k = 128, threads = 256, of_thread = 16 / E::PARTS;
    static constexpr int chunks = k / of_thread;  ///< of a row: a thread each
    /// One more behind each chunk, and one behind the row: what is read or written together lies in different banks.
    static constexpr int pitch = k + chunks + 1, bytes = rows * pitch * static_cast<int>(sizeof(E));

    const RemaindersOperand* of;
    int row, first_k;
    bool of_a;

    /// Along k first: blocks that run together write whole rows of planes.
    __device__ Piece(const RemaindersCall& call, int index, int pieces_of_a) : of_a(index < pieces_of_a) {
        of = of_a ? &call.a : &call.b;
        if (!of_a) index -= pieces_of_a;
        const int wide = (static_cast<int>(of->pitch) + k - 1) / k;
        row = index / wide * rows, first_k = index % wide * k;
    }
    static std::int64_t count(const RemaindersOperand& one) {
        return tiles_over(one.rows.rows(), rows) * tiles_over(one.pitch, k);
    }

    __device__ void load(std::uint32_t tile) const {
        if (of->rows.layout.col_step == 1) load<true>(tile);
        else load<false>(tile);
    }

private:
    /// Asynchronous copies, 0 for what lies outside. Neighbouring threads copy neighbours along k, or along the rows.
    template <bool along>
    __device__ void load(std::uint32_t tile) const {
        constexpr int wide = along ? k : rows, jump = threads / wide;
        const int inner = static_cast<int>(threadIdx.x) % wide, outer = static_cast<int>(threadIdx.x) / wide;
        const int rows_left = static_cast<int>(of->rows.rows()) - row,
                  k_left = static_cast<int>(of->rows.cols()) - first_k;
        const int outer_left = inner < (along ? k_left : rows_left) ? (along ? rows_left : k_left) - outer : 0;
        const Layout& lies = of->rows.layout;
        const E* from = of->rows.at<E>(row + (along ? outer : inner), first_k + (along ? inner : outer));
        const std::int64_t step = jump * (along ? lies.row_step : lies.col_step);
        tile += sizeof(E) * (along ? outer * pitch + place(inner) : inner * pitch + place(outer));
#pragma unroll
        for (int i = 0; i < of_thread; ++i, from += step)
            copy_element(tile + sizeof(E) * (along ? i * jump * pitch : place(i * jump)), from, i * jump < outer_left,
                         of->rows.at_sizes);
        ptx::commit_copies();
    }
    /// Of k within a row of the tile.
    static __device__ constexpr int place(int at) { return at + at / of_thread; }
};

}  // namespace tw::cuda
