// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From r10's sums to C: the rows' and columns' powers of two taken back, alpha and beta, and what the caller fuses.
// Results that parts are not trusted with are marked (marks.cuh) and left alone; when their tile is stored they are
// summed anew.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/split/anew.cuh"
#include "backend/cuda/split/marks.cuh"
#include "backend/cuda/split/notes.cuh"

namespace tw::cuda {

struct ScaledOutput {
    Tensor<float> c;
    Tensor<const float> a, b;          ///< rows along k, both
    const int *row_notes, *col_notes;  ///< late rows': to be read past L1
    BothParts parts;
    float alpha, beta;
    Fused fused;
    bool by_box;  ///< C's rows suit TMA

    __device__ bool in_pairs() const {
        return c.layout.col_step == 1 && c.layout.row_step % 2 == 0 && c.cols() % 2 == 0 &&
               reinterpret_cast<std::uintptr_t>(c.data) % 8 == 0;
    }
    __device__ float value(float sum, float old) const { return alpha * sum + beta * old; }
    __device__ void finish(int i, int j, float sum) const {
        sum = beta == 0 ? alpha * sum : value(sum, c(i, j));
        c(i, j) = fused.empty ? sum : fused.of(sum, i, j);
    }
};

/// f(which of a thread's sums, sum, element of C or of a matrix like it) for what lies inside C.
template <int N, class T, class F>
__device__ void each_inside(float (&sums)[N / 2], const ScaledOutput& out, T* of, std::int64_t row_step,
                            std::int64_t col_step, int row, int col, const F& f) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        if (row + 8 * half >= rows) continue;
        T* element = of + (row + 8 * half) * row_step + col * col_step;
#pragma unroll
        for (int g = 0; g < N / 8; ++g, element += 8 * col_step)
#pragma unroll
            for (int x = 0; x < 2; ++x)
                if (const int which = 4 * g + 2 * half + x; col + 8 * g + x < cols)
                    f(which, sums[which], element[x * col_step]);
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

/// Finished sums to C as it lies.
template <int N>
__device__ void store_sums(float (&sums)[N / 2], const ScaledOutput& out, int row, int col) {
    if (out.in_pairs()) return store_pairs<N>(sums, out, row, col);
    each_inside<N>(sums, out, out.c.data, out.c.layout.row_step, out.c.layout.col_step, row, col,
                   [](int, float x, float& to) { to = x; });
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
    /// The farthest of their powers from 0.
    __device__ int widest_of_columns() const {
        int widest = 0;
#pragma unroll
        for (int i = 0; i < count; ++i) widest = max(widest, abs(power_in(of_columns[i])));
        return widest;
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

/// Whether none of a thread's sums is below the doubt of its row and the largest of all columns, which four words
/// behind the columns' notes have. Of what lies outside C only a last odd column is looked at.
template <int N>
__device__ bool are_beyond_doubt(const float (&sums)[N / 2], const Notes<N>& notes, const ScaledOutput& out,
                                 std::uint32_t columns, int first_col, int thread) {
    const int2 some = ptx::load_ints(columns + 4 * N), others = ptx::load_ints(columns + 4 * N + 8);
    const float of_columns = doubt_in(max(max(some.x, some.y), max(others.x, others.y)));
    if (!(fmaxf(doubt_in(notes.up), doubt_in(notes.down)) + of_columns > 0)) return true;
    float up = fabsf(sums[0]), down = fabsf(sums[2]);
    const int inside = static_cast<int>(out.c.cols()) - first_col - FragmentPlace(thread).col;
#pragma unroll
    for (int g = 0; g < N / 8; ++g) {
        if (8 * g >= inside) continue;
        up = fminf(up, fminf(fabsf(sums[4 * g]), fabsf(sums[4 * g + 1])));
        down = fminf(down, fminf(fabsf(sums[4 * g + 2]), fabsf(sums[4 * g + 3])));
    }
    return !(up < doubt_in(notes.up) + of_columns) && !(down < doubt_in(notes.down) + of_columns);
}

/// Whether all of a consumer's sums are beyond doubt, for which its columns' notes go to shared memory. columns: a
/// place for N notes and eight words.
template <int N>
__device__ bool are_all_beyond_doubt(const float (&sums)[N / 2], Notes<N>& notes, const ScaledOutput& out,
                                     std::uint32_t columns, int first_row, int first_col, int consumer, int thread) {
    ptx::sync_named(consumer + 1, 128);  // nobody reads the notes of the sums before these any more
    notes.clear_outside(out, first_row, first_col, thread);
#pragma unroll
    for (int i = 0; i < Notes<N>::count; ++i)
        if (thread + 128 * i < N) ptx::store_int(columns + 4 * (thread + 128 * i), notes.of_columns[i]);
    const int most = __reduce_max_sync(~0u, notes.largest_of_columns());
    const int widest = __reduce_max_sync(~0u, notes.widest_of_columns());
    if (thread % 32 == 0) {
        ptx::store_int(columns + 4 * (N + thread / 32), most);
        ptx::store_int(columns + 4 * (N + 4 + thread / 32), widest);
    }
    ptx::sync_named(consumer + 1, 128);
    return ptx::all_of_named(consumer + 1, 128, are_beyond_doubt<N>(sums, notes, out, columns, first_col, thread));
}

/// Whether they are to be trusted if not all are beyond doubt; `marks` has those that are not.
template <int N, Parts parts>
__device__ bool are_trusted_still(float (&sums)[N / 2], Marks<N>& marks, const Notes<N>& notes, const ScaledOutput& out,
                                  std::uint32_t columns, int first_row, int first_col, int consumer, int thread) {
    const auto all = [&](bool mine) { return ptx::all_of_named(consumer + 1, 128, mine); };
    const float of_up = doubt_in(notes.up), of_down = doubt_in(notes.down);
    bool trusted = all(marks.none(sums, of_up, of_down, columns, thread));
    if constexpr (parts != Parts::bf16x6) {
        if (!trusted) {
            marks.template look_again<parts>(out.parts, of_up, of_down, columns, first_row, first_col, thread);
            trusted = all(!marks.any());
        }
    }
    return trusted;
}

/// How far from 0 the power of two of a thread's sums may be.
template <int N>
__device__ int widest_power(const Notes<N>& notes, std::uint32_t columns) {
    const int2 some = ptx::load_ints(columns + 4 * N + 16), others = ptx::load_ints(columns + 4 * N + 24);
    return max(max(some.x, some.y), max(others.x, others.y)) + max(abs(power_in(notes.up)), abs(power_in(notes.down)));
}

/// The powers of two of their rows and columns taken back: at once where the product of both is a normal number for all
/// of them, else by halves, which floats can hold. Sums of fp16 parts are multiples of 2^-48, and both ways round once;
/// those of bf16 parts have no such floor.
template <int N, Parts parts>
__device__ void take_all_back(float (&sums)[N / 2], const Notes<N>& notes, std::uint32_t columns, int thread) {
    const int of_up = power_in(notes.up), of_down = power_in(notes.down);
    const bool at_once = parts != Parts::bf16x6 && __all_sync(~0u, widest_power<N>(notes, columns) <= 126);
#pragma unroll 1
    for (int pass = at_once ? 1 : 0; pass < 2; ++pass) {
        const auto power = [&](int e) { return power_of_two(at_once ? e : (e + pass) >> 1); };
        const float up = power(of_up), down = power(of_down);
#pragma unroll
        for (int g = 0; g < N / 8; ++g) {
            if (g % 4 == 0 && g > 0) __syncwarp();  // else all notes are loaded first, for which no registers are left
            const int2 of = columns_of(columns, g, thread);
            const float left = power(power_in(of.x)), right = power(power_in(of.y));
            float* const s = sums + 4 * g;
            s[0] *= up * left, s[1] *= up * right, s[2] *= down * left, s[3] *= down * right;
        }
    }
}

/// buffers: the ring of store_boxes; columns: a place for N notes and eight words.
template <int N, int row_bytes, int ring, Parts parts>
__device__ void finish_scaled(float (&sums)[N / 2], Notes<N>& notes, const ScaledOutput& out, const CUtensorMap& map,
                              std::uint32_t buffers, std::uint32_t columns, int first_row, int first_col, int consumer,
                              int thread) {
    thread = computed_here(thread);
    const FragmentPlace at(thread);
    Marks<N> marks;
    const bool trusted =
        are_all_beyond_doubt<N>(sums, notes, out, columns, first_row, first_col, consumer, thread) ||
        are_trusted_still<N, parts>(sums, marks, notes, out, columns, first_row, first_col, consumer, thread);
    take_all_back<N, parts>(sums, notes, columns, thread);
    const int row = first_row + at.row, col = first_col + at.col, cols = static_cast<int>(out.c.cols());
    const auto each_c = [&](const auto& f) {
        each_inside<N>(sums, out, out.c.data, out.c.layout.row_step, out.c.layout.col_step, row, col, f);
    };
    if (out.beta == 0) each_sum<N>(sums, [&](float x) { return out.alpha * x; });
    else each_c([&](int, float& x, const float& old) { x = out.value(x, old); });
    apply<float, N>(sums, out.fused, cols, first_col, thread);
    if (out.fused.residual)
        each_inside<N>(sums, out, static_cast<const float*>(out.fused.residual), out.fused.row_step, out.fused.col_step,
                       row, col, [](int, float& x, const float& added) { x = __fadd_rn(x, added); });
    // What is summed anew reads C, or a residual that may be C, as it was.
    if (!trusted && (out.beta != 0 || out.fused.residual)) {
        each_c([&](int which, float x, float& to) {
            if (!(marks.doubted[which / 32] >> which % 32 & 1)) to = x;
        });
    } else if (out.by_box) {
        store_boxes<float, N, row_bytes, ring>(sums, out, map, buffers, first_row, first_col, thread);
    } else {
        store_sums<N>(sums, out, row, col);
    }
    if (trusted) return;
    if (out.by_box && thread % 32 == 0) ptx::wait_for_stores();
    ptx::sync_named(consumer + 1, 128);
    sum_marked(marks.doubted, computed_here(out.a), computed_here(out.b), AnewMemory(buffers), first_row, first_col,
               consumer, computed_here(thread), [&](int i, int j, float sum) { out.finish(i, j, sum); });
}

}  // namespace tw::cuda
