// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A thread's complex sums on their way to C, which may lie either way: where a thread has two neighbours of 8 bytes
// down a column or along a row, or one number of 16, it stores 16 bytes at once.
#pragma once

#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/complex.cuh"

namespace tw::cuda {

/// How 16 bytes of C lie together, in every product of a batch.
enum class Together { ones, along_rows, down_columns };

inline Together together_of(const Call& call) noexcept {
    const auto size = static_cast<std::int64_t>(size_of(call.c.type));
    if (c_of(call).address_bits() % 16 != 0) return Together::ones;
    if (size == 16) return Together::along_rows;
    if (call.c.col_step == 1 && call.c.row_step % 2 == 0) return Together::along_rows;
    return call.c.row_step == 1 && call.c.col_step % 2 == 0 ? Together::down_columns : Together::ones;
}

/// With the C that begins there: places in it that are known when compiling are cheap to reach.
template <class T>
__device__ Product<Complex<T>> c_from(Product<Complex<T>> p, int row, int col) {
    p.c.data = &p.c(row, col);
    p.c.layout.offset = 0, p.c.layout.rows -= row, p.c.layout.cols -= col;
    return p;
}

/// alpha times what a thread has, plus beta times what was there. All that is read of an old C is asked for before
/// anything is written: one by one, each would wait for the last.
template <class T, class EachSum>
__device__ void scale_and_add(const Product<Complex<T>>& p, const EachSum& each_sum) {
    each_sum([&](int, int, Complex<T>& sum) { sum = scaled(p.alpha, sum); });
    if (!p.reads_c()) return;
    const std::int64_t rows = p.c.rows(), cols = p.c.cols();
    each_sum([&](int i, int j, Complex<T>& sum) {
        if (i < rows && j < cols) sum = plus_scaled(sum, p.beta, p.c(i, j));
    });
}

/// Two numbers that lie together, where both are inside.
__device__ inline void store_two(Complex<float>* to, Complex<float> x, Complex<float> y) {
    *reinterpret_cast<float4*>(to) = make_float4(x.re, x.im, y.re, y.im);
}
template <class T>
__device__ void store_one(const Product<Complex<T>>& p, bool together, int i, int j, Complex<T> x) {
    if (i >= p.c.rows() || j >= p.c.cols()) return;
    Complex<T>* const to = &p.c(i, j);
    if constexpr (sizeof(T) == 8) {
        if (together) return void(*reinterpret_cast<double2*>(to) = make_double2(x.re, x.im));
    }
    *to = x;
}

/// Rows i and i + 1 of columns j and j + 1.
__device__ inline void store_square(const Product<Complex<float>>& p, Together how, int i, int j,
                                    const Complex<float> (&x)[2][2]) {
    const bool whole = i + 1 < p.c.rows() && j + 1 < p.c.cols();
    if (whole && how == Together::along_rows) {
        store_two(&p.c(i, j), x[0][0], x[0][1]), store_two(&p.c(i + 1, j), x[1][0], x[1][1]);
    } else if (whole && how == Together::down_columns) {
        store_two(&p.c(i, j), x[0][0], x[1][0]), store_two(&p.c(i, j + 1), x[0][1], x[1][1]);
    } else {
#pragma unroll
        for (int y = 0; y < 2; ++y)
#pragma unroll
            for (int z = 0; z < 2; ++z) store_one(p, false, i + y, j + z, x[y][z]);
    }
}

/// The same of sums that are not yet multiplied by alpha: those of row i, and of the row below.
__device__ inline void finish_square(const Product<Complex<float>>& p, Together how, int i, int j, const float4& upper,
                                     const float4& lower) {
    Complex<float> x[2][2] = {{{upper.x, upper.y}, {upper.z, upper.w}}, {{lower.x, lower.y}, {lower.z, lower.w}}};
    scale_and_add(p, [&](const auto& visit) {
#pragma unroll
        for (int y = 0; y < 2; ++y)
#pragma unroll
            for (int z = 0; z < 2; ++z) visit(i + y, j + z, x[y][z]);
    });
    store_square(p, how, i, j, x);
}

}  // namespace tw::cuda
