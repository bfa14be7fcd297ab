// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which of a thread's sums of parts are not to be trusted (notes.cuh): those that are smaller than their row's and
// column's doubts, and whose |A||B| is, too. The sum itself bounds that from below; where the two differ, by
// cancellation, a second look adds |A||B| up until it is enough.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/ptx/shared_load.cuh"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {

/// Both operands' parts, late rows' too: to be read past L1.
struct BothParts {
    const std::uint16_t *rows, *cols;
    std::int64_t pitch, width;  ///< from one row to the next; of a row, or of a slab of it
};

/// The notes of a thread's two columns of group g.
__device__ inline int2 columns_of(std::uint32_t columns, int g, int thread) {
    return ptx::load_ints(columns + 4 * (FragmentPlace(thread).col + 8 * g));
}
/// So many words have a bit for each of a thread's sums.
template <int N>
constexpr int words_of = (N + 63) / 64;

/// Whether |A||B| is no less than `least`, in scaled units, by the first parts of the first 128 of k: what is summed of
/// magnitudes bounds it from below, but for 2^-10 that rounding to parts may have added.
template <Parts parts>
__device__ bool reaches(const BothParts& of, int i, int j, float least) {
    const int k = min(static_cast<int>(of.width) / layout_of(parts).parts, 128);
    const std::uint16_t *a = of.rows + i * of.pitch, *b = of.cols + j * of.pitch;
    float sum = 0;
#pragma unroll 1
    for (int first = 0; first < k; first += 32) {
        const auto* const a_at = reinterpret_cast<const uint4*>(a + place_of_part<parts>(first));
        const auto* const b_at = reinterpret_cast<const uint4*>(b + place_of_part<parts>(first));
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const uint4 x = __ldcg(a_at + p), y = __ldcg(b_at + p);
            const unsigned left[4] = {x.x, x.y, x.z, x.w}, right[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int q = 0; q < 4; ++q) {
                const float2 of_a = __half22float2(magnitudes(left[q])), of_b = __half22float2(magnitudes(right[q]));
                sum = fmaf(of_a.x, of_b.x, fmaf(of_a.y, of_b.y, sum));
            }
        }
        if (sum * (1 - 0x1p-8f) >= least) return true;
    }
    return false;
}

/// A bit for each of a thread's sums: those that their rows' and columns' doubts reach; and of these, those so much
/// smaller that no second look is taken at them. Zeros against a large column are such, by whole tiles.
template <int N>
struct Marks {
    unsigned doubted[words_of<N>]{}, small[words_of<N>]{};

    __device__ void of_sum(int which, float sum, float doubt) {
        if (fabsf(sum) < doubt) doubted[which / 32] |= 1u << which % 32;
        if (fabsf(sum) < doubt * 0x1p-8f) small[which / 32] |= 1u << which % 32;
    }
    /// Of all sums; whether there is none.
    __device__ bool none(const float (&sums)[N / 2], float up, float down, std::uint32_t columns, int thread) {
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const int2 notes = columns_of(columns, g, thread);
            const float left = doubt_in(notes.x), right = doubt_in(notes.y);
            of_sum(4 * g, sums[4 * g], up + left), of_sum(4 * g + 1, sums[4 * g + 1], up + right);
            of_sum(4 * g + 2, sums[4 * g + 2], down + left), of_sum(4 * g + 3, sums[4 * g + 3], down + right);
        }
        return !any();
    }
    __device__ bool any() const {
        unsigned all = 0;
#pragma unroll
        for (const unsigned word : doubted) all |= word;
        return all != 0;
    }
    /// Sums that are small beside |A||B| alone lose nothing that the caller can notice.
    template <Parts parts>
    __device__ void look_again(const BothParts& of, float up, float down, std::uint32_t columns, int first_row,
                               int first_col, int thread) {
        const FragmentPlace at(thread);
#pragma unroll 1
        for (int word = 0; word < words_of<N>; ++word) {
            unsigned left = 0, cleared = 0;
#pragma unroll
            for (int w = 0; w < words_of<N>; ++w)
                if (w == word) left = doubted[w] & ~small[w];
#pragma unroll 1
            for (; left != 0; left &= left - 1) {
                const int x = __ffs(static_cast<int>(left)) - 1, which = 32 * word + x;
                const int row = at.row + which % 4 / 2 * 8, col = at.col + which / 4 * 8 + which % 2;
                const float doubt =
                    (which % 4 / 2 == 0 ? up : down) + doubt_in(static_cast<int>(ptx::load_word(columns + 4 * col)));
                if (doubt < 0x1p127f && reaches<parts>(of, first_row + row, first_col + col, doubt)) cleared |= 1u << x;
            }
#pragma unroll
            for (int w = 0; w < words_of<N>; ++w)
                if (w == word) doubted[w] &= ~cleared;
        }
    }
};

}  // namespace tw::cuda
