// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The micro-kernels of complex numbers: micro_kernel.hpp's counterparts, and plain data as it is.
//
// All of them sum in one order, each part of a result by itself: re = re + a c, then re - b d; im = im + a d, then
// im + b c, for (a + bi)(c + di), with one rounding each (the portable one with two).
#pragma once

#include "backend/cpu/micro/micro_kernel.hpp"

namespace tw::cpu {

/// C = alpha A B + beta C for `rows` x `cols` complex results, on packed panels. C is not read when beta is 0.
template <class T>
struct ComplexTile {
    std::int64_t k;
    const T* a;  ///< for each step along k the real parts of mr rows, then their imaginary parts
    const T* b;  ///< for each step the real parts of nr columns, then their imaginary parts; 0 where there is no column
    T* c;        ///< element (i, j) at c[i * c_step + 2 j]: its real part, and then the other
    std::int64_t c_step;
    T alpha, beta;
    int rows, cols;
    /// What L2 is asked for meanwhile, as in MicroTile.
    const T* ahead = nullptr;
    std::int64_t ahead_step = 0, ahead_rows = 0, ahead_lines = 0;
};

template <class T>
struct ComplexKernel {
    static constexpr int most_results = 512;  ///< of real numbers

    int mr, nr;                            ///< complex numbers
    double rate;                           ///< real products a nanosecond that it is expected to reach, for choose()
    void (*run)(const ComplexTile<T>&);    ///< 1 <= rows <= mr, 1 <= cols <= nr
    typename MicroKernel<T>::Packer pack;  ///< of real numbers, as MicroKernel has it
};

extern const ComplexKernel<float> complex_portable_f32, complex_avx2_f32, complex_avx512_f32, complex_neon_f32;
extern const ComplexKernel<double> complex_portable_f64, complex_avx2_f64, complex_avx512_f64, complex_neon_f64;

}  // namespace tw::cpu
