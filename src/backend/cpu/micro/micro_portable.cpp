// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Micro-kernels for any processor: the compilers' own 16-byte vectors, 4 rows of 2, a multiplication and an addition
// where the others fuse both.
#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/micro_table.hpp"
#include "backend/cpu/product/vectors.hpp"
#include "base/rounding.hpp"

namespace tw::cpu {
namespace {

template <class T>
struct Portable {
    using Element = T;
    using Register = Vector<T>;
    using Mask = int;  // how many of the elements
    static constexpr int lanes = cpu::lanes<T>;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) { return count; }
    static Register zero() { return Register{}; }
    static Register load(const T* p) { return cpu::load(p); }
    static Register load(const T* p, Mask m) {
        Register v{};
        for (int i = 0; i < m; ++i) v[i] = p[i];
        return v;
    }
    static Register widened(bool is_half, const std::uint16_t* p, Mask m = lanes) {
        Register v{};
        for (int i = 0; i < m; ++i) v[i] = is_half ? widen(float16{p[i]}) : widen(bfloat16{p[i]});
        return v;
    }
    static Register broadcast(const T* p) { return *p - Register{}; }  // minus 0 keeps the sign of a zero
    static Register multiply(Register a, Register b) { return a * b; }
    static Register add(Register a, Register b) { return a + b; }
    static Register multiply_add(Register a, Register b, Register c) { return a * b + c; }
    static Register multiply_subtract(Register a, Register b, Register c) { return c - a * b; }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        if constexpr (lanes == 4)
            low = __builtin_shufflevector(a, b, 0, 4, 1, 5), high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        else low = __builtin_shufflevector(a, b, 0, 2), high = __builtin_shufflevector(a, b, 1, 3);
    }
    static void store(T* p, Register v) { cpu::store(p, v); }
    static void store(T* p, Register v, Mask m) {
        for (int i = 0; i < m; ++i) p[i] = v[i];
    }
};

}  // namespace

constinit const MicroKernel<float> micro_portable_f32 = micro_kernel<Portable<float>, 4, 8, 4>(10);
constinit const MicroKernel<double> micro_portable_f64 = micro_kernel<Portable<double>, 4, 8, 4>(5);
constinit const ComplexKernel<float> complex_portable_f32 = complex_kernel<Portable<float>, 4, 1>(10);
constinit const ComplexKernel<double> complex_portable_f64 = complex_kernel<Portable<double>, 4, 1>(5);

}  // namespace tw::cpu
