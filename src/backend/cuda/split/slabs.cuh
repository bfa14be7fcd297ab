// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What r10 in slabs of k (slabs_sm90.cu) does beside r10: sums that wait for the other half of a node, and a slab's
// end.
#pragma once

#include "backend/cuda/ptx/add_in_l2.cuh"
#include "backend/cuda/split/scaled_epilogue.cuh"

namespace tw::cuda {

/// From one slab to the next, in elements: of the operands, of a row's parts, and of the notes.
struct Slabs {
    int count, levels;
    std::int64_t a, b, notes;
    float4* sums;

    __device__ ScaledOutput of(int slab, ScaledOutput out) const {
        out.a.data += slab * a, out.b.data += slab * b;
        out.parts.rows += slab * out.parts.width, out.parts.cols += slab * out.parts.width;
        out.row_notes += slab * notes, out.col_notes += slab * notes;
        return out;
    }
};

/// A consumer's sums where they wait: four of each thread side by side. So many places as there are levels, a stack
/// whose top is the youngest node, and one for sums some of which are summed anew.
template <int N>
struct Waiting {
    static constexpr int matrix = N / 8 * 128;
    float4* first;

    __device__ Waiting(const Slabs& slabs, int consumer, int thread)
        : first(slabs.sums + (static_cast<std::int64_t>(blockIdx.x) * 2 + consumer) * (slabs.levels + 1) * matrix +
                thread) {}
    __device__ void put(const float (&sums)[N / 2], int place) const {
#pragma unroll
        for (int g = 0; g < N / 8; ++g)
            __stcg(first + place * matrix + 128 * g,
                   float4{sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
    }
    /// Added by the L2 to those at that place, which nobody else adds to.
    __device__ void add(const float (&sums)[N / 2], int place) const {
#pragma unroll
        for (int g = 0; g < N / 8; ++g)
            ptx::add_in_l2(first + place * matrix + 128 * g,
                           float4{sums[4 * g], sums[4 * g + 1], sums[4 * g + 2], sums[4 * g + 3]});
    }
    template <class F>
    __device__ void each(float (&sums)[N / 2], int place, const F& f) const {
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const float4 four = __ldcg(first + place * matrix + 128 * g);
            f(sums[4 * g], four.x), f(sums[4 * g + 1], four.y), f(sums[4 * g + 2], four.z), f(sums[4 * g + 3], four.w);
        }
    }
};

/// A slab's sums as r10 stores them where not all are beyond doubt: their powers of two taken back, and those that are
/// not trusted summed anew.
template <int N, Parts parts>
__device__ void settle_doubts(float (&sums)[N / 2], const Notes<N>& notes, const ScaledOutput& out,
                              const Waiting<N>& waiting, int spare, std::uint32_t buffers, std::uint32_t columns,
                              int first_row, int first_col, int consumer, int thread) {
    Marks<N> marks;
    const bool trusted =
        are_trusted_still<N, parts>(sums, marks, notes, out, columns, first_row, first_col, consumer, thread);
    take_all_back<N, parts>(sums, notes, columns, thread);
    if (trusted) return;
    waiting.put(sums, spare);
    ptx::sync_named(consumer + 1, 128);
    auto* const all = reinterpret_cast<float*>(waiting.first - thread + spare * Waiting<N>::matrix);
    sum_marked(marks.doubted, computed_here(out.a), computed_here(out.b), AnewMemory(buffers), first_row, first_col,
               consumer, computed_here(thread), [&](int i, int j, float sum) {
                   const int row = i - first_row, col = j - first_col;
                   const int whose = row / 16 * 32 + row % 8 * 4 + col % 8 / 2;
                   __stcg(all + 4 * (col / 8 * 128 + whose) + row % 16 / 8 * 2 + col % 2, sum);
               });
    ptx::sync_named(consumer + 1, 128);
    waiting.each(sums, spare, [](float& x, float anew) { x = anew; });
}

/// What is left to do with a slab's sums when its end is over, while the next slab's first products run.
struct Left {
    bool powers;  ///< of two, to be taken back
    bool adds;    ///< to those that wait where these go
};

/// What a slab's end does before the next slab's products begin. Its tree: a slab ends as many nodes as its number has
/// ones at the end, all of whose first halves wait; what they come to is added to the last of these by the L2, on the
/// way there. The L2 takes numbers below 2^-126 for 0. Multiples of 2^-100 never come there, and sums of fp16 parts,
/// multiples of 2^-48, stay such where no power of two is beyond 2^-52: `exact`, of a warp's sums in all slabs so far.
/// spare: registers of which nobody has need now.
template <int N, Parts parts>
__device__ Left end_slab(float (&sums)[N / 2], float (&spare)[N / 2], bool& exact, Notes<N>& notes,
                         const ScaledOutput& out, const Waiting<N>& waiting, int slab, const Slabs& slabs,
                         std::uint32_t buffers, std::uint32_t columns, int first_row, int first_col, int consumer,
                         int thread) {
    const auto add = [](float& x, float sum) { x = __fadd_rn(x, sum); };
    const bool odd = slab & 1, is_last = slab + 1 == slabs.count;
    const bool reads = odd && (is_last || !exact || (slab & 2));
    int top = __popc(slab) - 1;
    if (reads) waiting.each(spare, top, [](float& x, float sum) { x = sum; });  // on its way meanwhile
    if (are_all_beyond_doubt<N>(sums, notes, out, columns, first_row, first_col, consumer, thread)) {
        exact = (slab == 0 || exact) && __all_sync(~0u, widest_power<N>(notes, columns) <= 52);
        if (!reads && (exact || !odd)) return {true, odd};
        take_all_back<N, parts>(sums, notes, columns, thread);
        if (reads) {
#pragma unroll
            for (int i = 0; i < N / 2; ++i) add(sums[i], spare[i]);
            --top;
        }
    } else {
        exact = false;
        settle_doubts<N, parts>(sums, notes, out, waiting, slabs.levels, buffers, columns, first_row, first_col,
                                consumer, thread);
    }
    const bool adds = exact && !is_last;
    const int last = __popc(slab & (slab + 1)) + adds;
#pragma unroll 1
    for (; top >= last; --top) waiting.each(sums, top, add);
    return {false, adds};
}

}  // namespace tw::cuda
