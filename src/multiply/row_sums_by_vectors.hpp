// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// row_sums() by vectors of f64, for the files of instruction sets, which say what a vector is: V has `lanes`, of(T*),
// of(double*), zero(), size(v), product_and(a, b, c) and sum(v). What lies along rows is summed four rows at a time, so
// x and w are read once for four; what lies along columns four columns at a time, so the sums are. Others are refused.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "tilewright/view.hpp"

namespace tw {
namespace {

constexpr int at_once = 4;

struct Weighted {
    const double *x, *w;
    double *sums, *sizes;
};

template <class V, int count, class T>
void add_along_rows(const T* first, std::int64_t cols, std::int64_t row_step, Weighted by) {
    typename V::Of sum[count], size[count];
    for (int r = 0; r < count; ++r) sum[r] = V::zero(), size[r] = V::zero();
    std::int64_t j = 0;
    for (; j + V::lanes <= cols; j += V::lanes) {
        const auto x = V::of(by.x + j), w = V::of(by.w + j);
        for (int r = 0; r < count; ++r) {
            const auto v = V::of(first + r * row_step + j);
            sum[r] = V::product_and(v, x, sum[r]), size[r] = V::product_and(V::size(v), w, size[r]);
        }
    }
    for (int r = 0; r < count; ++r) {
        double last = 0, last_size = 0;
        for (std::int64_t rest = j; rest < cols; ++rest) {
            const double v = V::one(first + r * row_step + rest);
            last += v * by.x[rest], last_size += __builtin_fabs(v) * by.w[rest];
        }
        by.sums[r] = V::sum(sum[r]) + last, by.sizes[r] = V::sum(size[r]) + last_size;
    }
}

template <class V, int count, class T>
void add_along_columns(const T* first, std::int64_t rows, std::int64_t col_step, Weighted by) {
    typename V::Of x[count], w[count];
    for (int c = 0; c < count; ++c) x[c] = V::all(by.x[c]), w[c] = V::all(by.w[c]);
    std::int64_t i = 0;
    for (; i + V::lanes <= rows; i += V::lanes) {
        auto sum = V::of(by.sums + i), size = V::of(by.sizes + i);
        for (int c = 0; c < count; ++c) {
            const T* const p = first + c * col_step + i;
            _mm_prefetch(reinterpret_cast<const char*>(p + count * col_step), _MM_HINT_T0);  // of the next columns
            const auto v = V::of(p);
            sum = V::product_and(v, x[c], sum), size = V::product_and(V::size(v), w[c], size);
        }
        V::put(by.sums + i, sum), V::put(by.sizes + i, size);
    }
    for (; i < rows; ++i)
        for (int c = 0; c < count; ++c) {
            const double v = V::one(first + c * col_step + i);
            by.sums[i] += v * by.x[c], by.sizes[i] += __builtin_fabs(v) * by.w[c];
        }
}

template <class V, class T>
bool add_up(const Matrix& m, Weighted by) {
    const T* const data = static_cast<const T*>(m.data);
    const auto from_row = [&](std::int64_t i) { return Weighted{by.x, by.w, by.sums + i, by.sizes + i}; };
    if (m.col_step == 1) {
        std::int64_t i = 0;
        for (; i + at_once <= m.rows; i += at_once)
            add_along_rows<V, at_once>(data + i * m.row_step, m.cols, m.row_step, from_row(i));
        for (; i < m.rows; ++i) add_along_rows<V, 1>(data + i * m.row_step, m.cols, m.row_step, from_row(i));
        return true;
    }
    if (m.row_step != 1) return false;
    constexpr std::int64_t strip = 1024;  // rows whose sums stay in L1
    for (std::int64_t i = 0; i < m.rows; ++i) by.sums[i] = by.sizes[i] = 0;
    for (std::int64_t i = 0; i < m.rows; i += strip) {
        const std::int64_t rows = i + strip < m.rows ? strip : m.rows - i;
        const auto from = [&](std::int64_t j) { return Weighted{by.x + j, by.w + j, by.sums + i, by.sizes + i}; };
        std::int64_t j = 0;
        for (; j + at_once <= m.cols; j += at_once)
            add_along_columns<V, at_once>(data + i + j * m.col_step, rows, m.col_step, from(j));
        for (; j < m.cols; ++j) add_along_columns<V, 1>(data + i + j * m.col_step, rows, m.col_step, from(j));
    }
    return true;
}

template <class V>
bool add_up_any(const Matrix& m, Weighted by) {
    switch (m.type) {
        case Type::f64: return add_up<V, double>(m, by);
        case Type::f32: return add_up<V, float>(m, by);
        case Type::f16: return add_up<V, float16>(m, by);
        case Type::bf16: return add_up<V, bfloat16>(m, by);
        case Type::c64:
        case Type::c128: break;  // complex products are not verified
    }
    return false;
}

/// What one element is, however wide a vector.
struct Single {
    static double one(const double* p) { return *p; }
    static double one(const float* p) { return static_cast<double>(*p); }
    static double one(const float16* p) { return static_cast<double>(_cvtsh_ss(p->bits)); }
    static double one(const bfloat16* p) {
        return static_cast<double>(__builtin_bit_cast(float, std::uint32_t{p->bits} << 16));
    }
};

}  // namespace
}  // namespace tw
