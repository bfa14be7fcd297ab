// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The epilogue in place on contiguous rows of one type, compiled once for each instruction set. The files that do so
// share only this header: plain data and code of internal linkage, so that no instruction leaks into shared code.
#pragma once

#include <cstdint>
#include <cstring>

#include "epilogue/activation.hpp"

namespace tw {

struct FinishRows {
    std::int64_t rows, cols;
    void* c;
    std::int64_t c_step;
    const void* bias;                    ///< null: none
    std::int64_t bias_step, bias_along;  ///< from row to row, and along a row: one of them is 0
    const void* residual;                ///< null: none
    std::int64_t residual_step;
    double scale;
    Activation activation;
};

struct FinishKernel {
    void (*f32)(const FinishRows&);
    void (*f64)(const FinishRows&);
};
extern const FinishKernel finish_portable, finish_avx2, finish_avx512;

namespace {

template <int W>
typename Lanes<W>::Vector load_lanes(const double* from, std::int64_t count) {
    typename Lanes<W>::Vector x{};
    count == W ? std::memcpy(&x, from, sizeof x)
               : std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof *from);
    return x;
}
template <int W>
typename Lanes<W>::Vector load_lanes(const float* from, std::int64_t count) {
    typename Lanes<W>::Floats x{};
    count == W ? std::memcpy(&x, from, sizeof x)
               : std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof *from);
    return __builtin_convertvector(x, typename Lanes<W>::Vector);
}
template <int W>
void store_lanes(double* to, typename Lanes<W>::Vector x, std::int64_t count) {
    count == W ? std::memcpy(to, &x, sizeof x) : std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof *to);
}
template <int W>
void store_lanes(float* to, typename Lanes<W>::Vector wide, std::int64_t count) {
    const auto x = __builtin_convertvector(wide, typename Lanes<W>::Floats);
    count == W ? std::memcpy(to, &x, sizeof x) : std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof *to);
}

template <int W, class T, Activation activation>
void finish_rows(const FinishRows& x) {
    for (std::int64_t i = 0; i < x.rows; ++i) {
        T* const c = static_cast<T*>(x.c) + i * x.c_step;
        const T* const bias = x.bias ? static_cast<const T*>(x.bias) + i * x.bias_step : nullptr;
        const T* const residual = x.residual ? static_cast<const T*>(x.residual) + i * x.residual_step : nullptr;
        const auto at = [&](std::int64_t j, std::int64_t count) __attribute__((always_inline)) {
            auto value = load_lanes<W>(c + j, count);
            if (x.scale != 1) value *= x.scale;
            if (bias)
                value += x.bias_along ? load_lanes<W>(bias + j, count) : Lanes<W>::all(static_cast<double>(*bias));
            value = Lanes<W>::template activated < activation, sizeof(T) == 8 > (value);
            if (residual) value += load_lanes<W>(residual + j, count);
            store_lanes<W>(c + j, value, count);
        };
        std::int64_t j = 0;
        for (; j + W <= x.cols; j += W) at(j, W);
        if (j < x.cols) at(j, x.cols - j);
    }
}

/// A residual alone is added in T itself: the sum of two f32 rounded to f64 and then to f32 is that sum rounded once.
template <int W, class T>
void add_rows(const FinishRows& x) {
    typedef T Lane __attribute__((vector_size(8 * W)));
    constexpr std::int64_t lanes = sizeof(Lane) / sizeof(T);
    for (std::int64_t i = 0; i < x.rows; ++i) {
        T* const c = static_cast<T*>(x.c) + i * x.c_step;
        const T* const residual = static_cast<const T*>(x.residual) + i * x.residual_step;
        std::int64_t j = 0;
        for (; j + lanes <= x.cols; j += lanes) {
            Lane sum, addend;
            std::memcpy(&sum, c + j, sizeof sum);
            std::memcpy(&addend, residual + j, sizeof addend);
            sum += addend;
            std::memcpy(c + j, &sum, sizeof sum);
        }
        for (; j < x.cols; ++j) c[j] += residual[j];
    }
}

template <int W, class T>
void finish_rows(const FinishRows& x) {
    const bool only_adds = x.residual && !x.bias && x.scale == 1 && x.activation == Activation::none;
    if (only_adds) return add_rows<W, T>(x);
    switch (x.activation) {
        case Activation::none: return finish_rows<W, T, Activation::none>(x);
        case Activation::relu: return finish_rows<W, T, Activation::relu>(x);
        case Activation::gelu: return finish_rows<W, T, Activation::gelu>(x);
        case Activation::silu: return finish_rows<W, T, Activation::silu>(x);
    }
}

}  // namespace
}  // namespace tw
