// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Micro-kernels of NEON, which every AArch64 processor has: 8 rows of 3 vectors fill 24 of the 32 registers with sums.
#include <arm_neon.h>

#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/micro_table.hpp"

namespace tw::cpu {
namespace {

/// Loads and stores of the first `count` elements, for both types.
template <class T, class V, int Lanes>
struct Neon {
    using Element = T;
    using Register = V;
    using Mask = int;  // how many of the elements
    static constexpr int lanes = Lanes;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) { return count; }
    static Register zero() { return Register{}; }
    static Register load(const T* p, Mask count) {
        T whole[Lanes] = {};
        for (int i = 0; i < count; ++i) whole[i] = p[i];
        return load(whole);
    }
    static Register widened(bool is_half, const std::uint16_t* p) {
        const uint16x4_t bits = vld1_u16(p);
        return is_half ? vcvt_f32_f16(vreinterpret_f16_u16(bits)) : vreinterpretq_f32_u32(vshll_n_u16(bits, 16));
    }
    static Register widened(bool is_half, const std::uint16_t* p, Mask count) {
        std::uint16_t whole[Lanes] = {};
        for (int i = 0; i < count; ++i) whole[i] = p[i];
        return widened(is_half, whole);
    }
    static void store(T* p, Register v, Mask count) {
        T whole[Lanes];
        store(whole, v);
        for (int i = 0; i < count; ++i) p[i] = whole[i];
    }
    static Register multiply(Register a, Register b) { return a * b; }
    static Register add(Register a, Register b) { return a + b; }

    static float32x4_t load(const float* p) { return vld1q_f32(p); }
    static float64x2_t load(const double* p) { return vld1q_f64(p); }
    static float32x4_t broadcast(const float* p) { return vld1q_dup_f32(p); }
    static float64x2_t broadcast(const double* p) { return vld1q_dup_f64(p); }
    static float32x4_t multiply_add(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmaq_f32(c, a, b); }
    static float64x2_t multiply_add(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmaq_f64(c, a, b); }
    static float32x4_t multiply_subtract(float32x4_t a, float32x4_t b, float32x4_t c) { return vfmsq_f32(c, a, b); }
    static float64x2_t multiply_subtract(float64x2_t a, float64x2_t b, float64x2_t c) { return vfmsq_f64(c, a, b); }
    static void interleave(float32x4_t a, float32x4_t b, float32x4_t& low, float32x4_t& high) {
        low = vzip1q_f32(a, b), high = vzip2q_f32(a, b);
    }
    static void interleave(float64x2_t a, float64x2_t b, float64x2_t& low, float64x2_t& high) {
        low = vzip1q_f64(a, b), high = vzip2q_f64(a, b);
    }
    static void store(float* p, float32x4_t v) { vst1q_f32(p, v); }
    static void store(double* p, float64x2_t v) { vst1q_f64(p, v); }
};

}  // namespace

constinit const MicroKernel<float> micro_neon_f32 = micro_kernel<Neon<float, float32x4_t, 4>, 8, 24, 8>(22);
constinit const MicroKernel<double> micro_neon_f64 = micro_kernel<Neon<double, float64x2_t, 2>, 8, 24, 8>(11);
constinit const ComplexKernel<float> complex_neon_f32 = complex_kernel<Neon<float, float32x4_t, 4>, 6, 2>(22);
constinit const ComplexKernel<double> complex_neon_f64 = complex_kernel<Neon<double, float64x2_t, 2>, 6, 2>(11);

}  // namespace tw::cpu
