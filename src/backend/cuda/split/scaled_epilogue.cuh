// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From r10's sums to C: the rows' and columns' powers of two taken back, alpha and beta, what the caller fuses, and the
// results of rows and columns that hold an Inf or a NaN computed anew, one by one, from the operands themselves.
#pragma once

#include "backend/cuda/epilogue/epilogue.cuh"
#include "backend/cuda/split/parts.cuh"

namespace tw::cuda {

struct ScaledOutput {
    Tensor<float> c;
    Tensor<const float> a, b;                  ///< rows along k, both
    const int *row_exponents, *col_exponents;  ///< late rows': to be read past L1
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

/// Anew, the 64 x N results of one consumer that a row or column without parts takes part in. Slow, and rare.
template <int N>
__device__ void redo(const ScaledOutput& out, int first_row, int first_col, int thread) {
    const int rows = static_cast<int>(out.c.rows()), cols = static_cast<int>(out.c.cols());
    for (int i = first_row + thread / 32 * 16; i < first_row + thread / 32 * 16 + 16 && i < rows; ++i)
        for (int j = first_col + thread % 32; j < first_col + N && j < cols; j += 32) {
            if (__ldcg(out.row_exponents + i) != not_finite && __ldcg(out.col_exponents + j) != not_finite) continue;
            float sum = 0;
            for (std::int64_t k = 0; k < out.a.cols(); ++k) sum += out.a(i, k) * out.b(j, k);
            sum = out.value(i, j, sum);
            out.c(i, j) = out.fused.empty ? sum : out.fused.of(sum, i, j);
        }
}

/// What a thread fetches for its consumer while the last products run: its two rows' exponents, and some columns'.
template <int N>
struct Exponents {
    static constexpr int count = (N + 127) / 128;
    int up, down, of_columns[count];

    __device__ void fetch(const ScaledOutput& out, int first_row, int first_col, int thread) {
        const int last_row = static_cast<int>(out.c.rows()) - 1, last_col = static_cast<int>(out.c.cols()) - 1;
        const int row = first_row + FragmentPlace(thread).row;
        up = __ldcg(out.row_exponents + min(row, last_row)), down = __ldcg(out.row_exponents + min(row + 8, last_row));
#pragma unroll
        for (int i = 0; i < count; ++i)
            of_columns[i] = __ldcg(out.col_exponents + min(first_col + thread + 128 * i, last_col));
    }
};

/// 2^e as a product of two powers that floats can hold; e in [-163, 149].
struct Halves {
    float x, y;
    __device__ explicit Halves(int e) : x(power_of_two(e >> 1)), y(power_of_two(e - (e >> 1))) {}
    __device__ float times(float sum, const Halves& other) const { return sum * (x * other.x) * (y * other.y); }
};

/// buffers: the ring of store_boxes; exponents: N of them.
template <int N, int row_bytes, int ring>
__device__ void finish_scaled(float (&sums)[N / 2], const Exponents<N>& fetched, const ScaledOutput& out,
                              const CUtensorMap& map, std::uint32_t buffers, std::uint32_t exponents, int first_row,
                              int first_col, int consumer, int thread) {
    const FragmentPlace at(thread);
    bool finite = fetched.up != not_finite && fetched.down != not_finite;
#pragma unroll
    for (int i = 0; i < Exponents<N>::count; ++i) {
        finite &= fetched.of_columns[i] != not_finite;
        if (thread + 128 * i < N) ptx::store_int(exponents + 4 * (thread + 128 * i), fetched.of_columns[i]);
    }
    const bool all_finite = ptx::all_of_named(consumer + 1, 128, finite);
    const Halves up(fetched.up), down(fetched.down);
#pragma unroll
    for (int g = 0; g < N / 8; ++g) {
        const int2 pair = ptx::load_ints(exponents + 4 * (at.col + 8 * g));
        const Halves left(pair.x), right(pair.y);
        float* s = sums + 4 * g;
        s[0] = up.times(s[0], left), s[1] = up.times(s[1], right), s[2] = down.times(s[2], left),
        s[3] = down.times(s[3], right);
    }
    const int row = first_row + at.row, col = first_col + at.col, cols = static_cast<int>(out.c.cols());
    if (out.beta == 0) each_sum<N>(sums, [&](float x) { return out.alpha * x; });
    else each_inside<N>(sums, out, row, col, [&](int i, int j, float& x) { x = out.value(i, j, x); });
    apply<float, N>(sums, out.fused, cols, first_col, thread);
    if (out.fused.residual)
        each_inside<N>(sums, out, row, col,
                       [&](int i, int j, float& x) { x = __fadd_rn(x, out.fused.residual_at(i, j)); });
    if (!all_finite && out.beta != 0) {  // what is computed anew reads C as it was
        each_inside<N>(sums, out, row, col, [&](int i, int j, float x) {
            if (__ldcg(out.row_exponents + i) != not_finite && __ldcg(out.col_exponents + j) != not_finite)
                out.c(i, j) = x;
        });
    } else if (out.by_box) {
        store_boxes<float, N, row_bytes, ring>(sums, out, map, buffers, first_row, first_col, thread);
        if (all_finite) return;
        if (thread % 32 == 0) ptx::wait_for_stores();
    } else {
        const bool in_pairs = out.c.layout.col_step == 1 && out.c.layout.row_step % 2 == 0 && cols % 2 == 0 &&
                              reinterpret_cast<std::uintptr_t>(out.c.data) % 8 == 0;
        if (in_pairs) store_pairs<N>(sums, out, row, col);
        else each_inside<N>(sums, out, row, col, [&](int i, int j, float x) { out.c(i, j) = x; });
    }
    ptx::sync_named(consumer + 1, 128);
    if (!all_finite) redo<N>(out, first_row, first_col, thread);
}

}  // namespace tw::cuda
