// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From r10's sums to C: results that parts are not trusted with summed anew, the rows' and columns' powers of two taken
// back, alpha and beta, and what the caller fuses.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/split/anew.cuh"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {

struct ScaledOutput {
    Tensor<float> c;
    Tensor<const float> a, b;          ///< rows along k, both
    const int *row_notes, *col_notes;  ///< late rows': to be read past L1
    float alpha, beta;
    Fused fused;
    bool by_box;  ///< C's rows suit TMA

    __device__ float value(int i, int j, float sum) const {
        return beta == 0 ? alpha * sum : alpha * sum + beta * c(i, j);
    }
};

/// f(i, j, sum) for what lies inside C.
template <int N, class F>
__device__ void each_inside(float (&sums)[N / 2], const ScaledOutput& out, int row, int col, const F& f) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
#pragma unroll
    for (int g = 0; g < N / 8; ++g)
#pragma unroll
        for (int x = 0; x < 4; ++x) {
            const int i = row + x / 2 * 8, j = col + 8 * g + x % 2;
            if (i < rows && j < cols) f(i, j, sums[4 * g + x]);
        }
}

/// Two neighbours at a time, where C's rows allow it.
template <int N>
__device__ void store_pairs(const float (&sums)[N / 2], const ScaledOutput& out, int row, int col) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        if (row + 8 * half >= rows) continue;
        float* to = &out.c(row + 8 * half, col);
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            const float2 pair{sums[4 * g + 2 * half], sums[4 * g + 2 * half + 1]};
            if (col + 8 * g < cols) __stcs(reinterpret_cast<float2*>(to + 8 * g), pair);
        }
    }
}

/// What a thread fetches for its consumer while the last products run: its two rows' notes, and some columns'.
template <int N>
struct Notes {
    static constexpr int count = (N + 127) / 128;
    int up, down, of_columns[count];

    __device__ void fetch(const ScaledOutput& out, int first_row, int first_col, int thread) {
        const int last_row = static_cast<int>(out.c.rows()) - 1, last_col = static_cast<int>(out.c.cols()) - 1;
        const int row = first_row + FragmentPlace(thread).row;
        up = __ldcg(out.row_notes + min(row, last_row)), down = __ldcg(out.row_notes + min(row + 8, last_row));
#pragma unroll
        for (int i = 0; i < count; ++i)
            of_columns[i] = __ldcg(out.col_notes + min(first_col + thread + 128 * i, last_col));
    }
    /// Notes order as their doubts do.
    __device__ int largest_of_columns() const {
        int largest = of_columns[0];
#pragma unroll
        for (int i = 1; i < count; ++i) largest = max(largest, of_columns[i]);
        return largest;
    }
    /// What lies outside C isn't doubted.
    __device__ void clear_outside(const ScaledOutput& out, int first_row, int first_col, int thread) {
        const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
        const int row = first_row + FragmentPlace(thread).row;
        if (row >= rows) up = note_of_nothing;
        if (row + 8 >= rows) down = note_of_nothing;
#pragma unroll
        for (int i = 0; i < count; ++i)
            if (first_col + thread + 128 * i >= cols || thread + 128 * i >= N) of_columns[i] = note_of_nothing;
    }
};

/// Whether none of a thread's sums is below the doubt of its row and the largest of all columns; most: four notes'
/// place.
template <int N>
__device__ bool are_beyond_doubt(const float (&sums)[N / 2], const Notes<N>& notes, std::uint32_t most) {
    const int2 some = ptx::load_ints(most), others = ptx::load_ints(most + 8);
    const float of_columns = doubt_in(max(max(some.x, some.y), max(others.x, others.y)));
    float up = fabsf(sums[0]), down = fabsf(sums[2]);
#pragma unroll
    for (int g = 0; g < N / 8; ++g) {
        up = fminf(up, fminf(fabsf(sums[4 * g]), fabsf(sums[4 * g + 1])));
        down = fminf(down, fminf(fabsf(sums[4 * g + 2]), fabsf(sums[4 * g + 3])));
    }
    return !(up < doubt_in(notes.up) + of_columns) && !(down < doubt_in(notes.down) + of_columns);
}

/// 2^e as a product of two powers that floats can hold; e in [-163, 149].
struct Halves {
    float x, y;
    __device__ explicit Halves(int e) : x(power_of_two(e >> 1)), y(power_of_two(e - (e >> 1))) {}
    __device__ float times(float sum, const Halves& other) const { return sum * (x * other.x) * (y * other.y); }
};

/// f(which of `count` groups of 8 columns, the notes of its two columns) from group `first` on; columns: N notes.
template <int first, int count, class F>
__device__ void each_group(std::uint32_t columns, int thread, const F& f) {
#pragma unroll
    for (int g = 0; g < count; ++g) f(g, ptx::load_ints(columns + 4 * (FragmentPlace(thread).col + 8 * (first + g))));
}

/// Bit x is set where sum x of a group's four isn't trusted.
__device__ inline unsigned untrusted(const float* s, float up, float down, int2 columns) {
    const float left = doubt_in(columns.x), right = doubt_in(columns.y);
    const bool of_each[4] = {fabsf(s[0]) < up + left, fabsf(s[1]) < up + right, fabsf(s[2]) < down + left,
                             fabsf(s[3]) < down + right};
    unsigned bits = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) bits |= static_cast<unsigned>(of_each[i]) << i;
    return bits;
}
__device__ inline void take_back(float* s, const Halves& up, const Halves& down, int2 columns) {
    const Halves left(power_in(columns.x)), right(power_in(columns.y));
    s[0] = up.times(s[0], left), s[1] = up.times(s[1], right), s[2] = down.times(s[2], left),
    s[3] = down.times(s[3], right);
}

/// The powers taken back, and what isn't trusted summed anew, 64 columns at a time, or as many as leave it registers.
template <int N, int first = 0>
__device__ void mend(float (&sums)[N / 2], const Notes<N>& notes, const Tensor<const float>& a,
                     const Tensor<const float>& b, std::uint32_t buffers, std::uint32_t columns, int first_row,
                     int first_col, int consumer, int thread) {
    constexpr int at_once = N > 192 ? 4 : N > 176 ? 6 : 8, groups = N / 8 - first < at_once ? N / 8 - first : at_once;
    float* const s = sums + 4 * first;
    unsigned wanted = 0;
    each_group<first, groups>(columns, thread, [&](int g, int2 of_columns) {
        wanted |= untrusted(s + 4 * g, doubt_in(notes.up), doubt_in(notes.down), of_columns) << 4 * g;
        take_back(s + 4 * g, Halves(power_in(notes.up)), Halves(power_in(notes.down)), of_columns);
    });
#pragma unroll
    for (int i = 0; i < 4 * groups; ++i)
        if (wanted >> i & 1) s[i] = 0;
    const int col = first_col + 8 * first;
    const Wanted number(wanted, buffers + 16 * (first / at_once), consumer, thread);
    if (!__all_sync(~0u, number.all <= Wanted::few))
        sum_tile<groups>(s, wanted, a, b, buffers, first_row, col, consumer, thread);
    else if (__any_sync(~0u, number.all > 0))
        sum_few<groups>(s, wanted, number, a, b, buffers + 128, first_row, col, consumer, thread);
    if constexpr (first + groups < N / 8)
        mend<N, first + groups>(sums, notes, a, b, buffers, columns, first_row, first_col, consumer, thread);
}

/// buffers: the ring of store_boxes; columns: a place for N notes and four.
template <int N, int row_bytes, int ring>
__device__ void finish_scaled(float (&sums)[N / 2], Notes<N>& notes, const ScaledOutput& out, const CUtensorMap& map,
                              std::uint32_t buffers, std::uint32_t columns, int first_row, int first_col, int consumer,
                              int thread) {
    thread = computed_here(thread);
    const FragmentPlace at(thread);
    notes.clear_outside(out, first_row, first_col, thread);
#pragma unroll
    for (int i = 0; i < Notes<N>::count; ++i)
        if (thread + 128 * i < N) ptx::store_int(columns + 4 * (thread + 128 * i), notes.of_columns[i]);
    const int most = __reduce_max_sync(~0u, notes.largest_of_columns());
    if (thread % 32 == 0) ptx::store_int(columns + 4 * (N + thread / 32), most);
    ptx::sync_named(consumer + 1, 128);
    if (ptx::all_of_named(consumer + 1, 128, are_beyond_doubt<N>(sums, notes, columns + 4 * N))) {
        const Halves up(power_in(notes.up)), down(power_in(notes.down));
        each_group<0, N / 8>(columns, thread,
                             [&](int g, int2 of_columns) { take_back(sums + 4 * g, up, down, of_columns); });
    } else {
        if (out.by_box && thread % 32 == 0) ptx::wait_for_reads_of_stores<0>();  // of the last tile, from these buffers
        ptx::sync_named(consumer + 1, 128);
        mend<N>(sums, notes, computed_here(out.a), computed_here(out.b), buffers, columns, first_row, first_col,
                consumer, computed_here(thread));
    }
    const int row = first_row + at.row, col = first_col + at.col, cols = static_cast<int>(out.c.cols());
    if (out.beta == 0) each_sum<N>(sums, [&](float x) { return out.alpha * x; });
    else each_inside<N>(sums, out, row, col, [&](int i, int j, float& x) { x = out.value(i, j, x); });
    apply<float, N>(sums, out.fused, cols, first_col, thread);
    if (out.fused.residual)
        each_inside<N>(sums, out, row, col,
                       [&](int i, int j, float& x) { x = __fadd_rn(x, out.fused.residual_at(i, j)); });
    if (out.by_box) {
        store_boxes<float, N, row_bytes, ring>(sums, out, map, buffers, first_row, first_col, thread);
    } else {
        const bool in_pairs = out.c.layout.col_step == 1 && out.c.layout.row_step % 2 == 0 && cols % 2 == 0 &&
                              reinterpret_cast<std::uintptr_t>(out.c.data) % 8 == 0;
        if (in_pairs) store_pairs<N>(sums, out, row, col);
        else each_inside<N>(sums, out, row, col, [&](int i, int j, float x) { out.c(i, j) = x; });
    }
}

}  // namespace tw::cuda
