// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Micro-kernels of AVX-512: 14 rows of 2 vectors fill 28 of the 32 registers with sums. One step along k is 28
// multiply-adds that broadcast their element of A themselves and 2 loads: as few instructions as there can be, for a
// core whose front end another thread may share. But these are 30 loads where 28 multiply-adds take 14 cycles, and a
// core that does two loads a cycle is busy with them: `apart` has a register for each broadcast, and 16 loads. A masked
// load is an instruction of a unit of multiply-adds besides.
#include <immintrin.h>

#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/micro_table.hpp"
#include "backend/cpu/micro/pack_avx512.hpp"
#include "backend/cpu/micro/turned_tile.hpp"

namespace tw::cpu {
namespace {

struct SixteenFloats {
    using Element = float;
    using Register = __m512;
    using Mask = __mmask16;
    static constexpr int lanes = 16;
    static constexpr int broadcasts_folded = 2;

    static Mask mask(int count) { return static_cast<Mask>(0xffffu >> (16 - count)); }
    static Register zero() {
        Register made;  // each by an instruction that costs none: compilers copy one to all others, which does
        asm volatile("vpxord %0, %0, %0" : "=v"(made));
        return made;
    }
    static Register of_lanes(__m512 v) { return v; }
    static Register load(const float* p) { return _mm512_loadu_ps(p); }
    static Register load(const float* p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
    static Register widened(bool is_half, const std::uint16_t* p) { return widened(is_half, p, Mask(0xffff)); }
    static Register widened(bool is_half, const std::uint16_t* p, Mask m) {
        const __m256i bits = _mm256_maskz_loadu_epi16(m, p);
        return is_half ? _mm512_cvtph_ps(bits)
                       : _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
    }
    static Register broadcast(const float* p) { return _mm512_set1_ps(*p); }
    static Register multiply(Register a, Register b) { return _mm512_mul_ps(a, b); }
    static Register add(Register a, Register b) { return _mm512_add_ps(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231ps %2, %1, %0" : "+v"(c) : "v"(b), "v"(a));  // or compilers put the sum where a factor was
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) {
        asm("vfnmadd231ps %2, %1, %0" : "+v"(c) : "v"(b), "v"(a));
        return c;
    }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const __m512i first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        low = _mm512_permutex2var_ps(a, first, b);
        high = _mm512_permutex2var_ps(a, _mm512_add_epi32(first, _mm512_set1_epi32(8)), b);
    }
    static Register multiply_add(const float* a, Register b, Register c) {
        asm("vfmadd231ps %2%{1to16%}, %1, %0" : "+v"(c) : "v"(b), "m"(*a));
        return c;
    }
    static void store(float* p, Register v) { _mm512_storeu_ps(p, v); }
    static void store(float* p, Register v, Mask m) { _mm512_mask_storeu_ps(p, m, v); }
    template <class>
    static constexpr int steps_turned = 16;
    static float element(float x) { return x; }
    static void turn(const float* from, std::int64_t step, Register (&square)[16]) { turned_lines(from, step, square); }
};

struct EightDoubles {
    using Element = double;
    using Register = __m512d;
    using Mask = __mmask8;
    static constexpr int lanes = 8;
    static constexpr int broadcasts_folded = 2;

    static Mask mask(int count) { return static_cast<Mask>(0xffu >> (8 - count)); }
    static Register zero() {
        Register made;  // each by an instruction that costs none: compilers copy one to all others, which does
        asm volatile("vpxord %0, %0, %0" : "=v"(made));
        return made;
    }
    static Register of_lanes(__m512 v) { return _mm512_castps_pd(v); }
    static Register load(const double* p) { return _mm512_loadu_pd(p); }
    static Register load(const double* p, Mask m) { return _mm512_maskz_loadu_pd(m, p); }
    static Register broadcast(const double* p) { return _mm512_set1_pd(*p); }
    static Register multiply(Register a, Register b) { return _mm512_mul_pd(a, b); }
    static Register add(Register a, Register b) { return _mm512_add_pd(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231pd %2, %1, %0" : "+v"(c) : "v"(b), "v"(a));  // or compilers put the sum where a factor was
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) {
        asm("vfnmadd231pd %2, %1, %0" : "+v"(c) : "v"(b), "v"(a));
        return c;
    }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        low = _mm512_permutex2var_pd(a, first, b);
        high = _mm512_permutex2var_pd(a, _mm512_add_epi64(first, _mm512_set1_epi64(4)), b);
    }
    static Register multiply_add(const double* a, Register b, Register c) {
        asm("vfmadd231pd %2%{1to8%}, %1, %0" : "+v"(c) : "v"(b), "m"(*a));
        return c;
    }
    static void store(double* p, Register v) { _mm512_storeu_pd(p, v); }
    static void store(double* p, Register v, Mask m) { _mm512_mask_storeu_pd(p, m, v); }
    template <class>
    static constexpr int steps_turned = 8;
    static double element(double x) { return x; }
    static void turn(const double* from, std::int64_t step, Register (&square)[8]) {
        __m512 lines[8];
        turned_lines(from, step, lines);
        for (int u = 0; u < 8; ++u) square[u] = of_lanes(lines[u]);
    }
};

/// Columns that fill no vector, and narrow ones, go by shorter vectors.
template <class V>
void turned_in_lines(const TurnedTile<typename V::Element>& tile, auto in_short_vectors) {
    using T = typename V::Element;
    if (tile.b_type != type_of<T>) return in_short_vectors(tile);
    TurnedTile<T> part = tile;
    part.cols = tile.cols / V::lanes * V::lanes;
    if (part.cols > 0) turned_tile_of<V>(part);
    part.b = static_cast<const T*>(tile.b) + part.cols * tile.b_step;
    part.sums += part.cols, part.cols = tile.cols - part.cols;
    if (part.cols > 0) in_short_vectors(part);
}
void turned_f32(const TurnedTile<float>& tile) { turned_in_lines<SixteenFloats>(tile, turned_avx2_f32); }
void turned_f64(const TurnedTile<double>& tile) { turned_in_lines<EightDoubles>(tile, turned_avx2_f64); }

constexpr int apart = 1;  // vectors: with one, each broadcast has one multiply-add anyhow

}  // namespace

constinit const MicroKernel<float> micro_avx512_apart_f32 =
    micro_kernel<SixteenFloats, 14, 28, 8, apart>(105, pack<SixteenFloats>, turned_f32, packed_narrow_avx2);
constinit const MicroKernel<double> micro_avx512_apart_f64 =
    micro_kernel<EightDoubles, 14, 28, 8, apart>(50, pack<EightDoubles>, turned_f64);
constinit const MicroKernel<float> micro_avx512_f32 =
    micro_kernel<SixteenFloats, 14, 28, 8>(105, pack<SixteenFloats>, turned_f32, packed_narrow_avx2);
constinit const MicroKernel<double> micro_avx512_f64 =
    micro_kernel<EightDoubles, 14, 28, 8>(50, pack<EightDoubles>, turned_f64);
constinit const ComplexKernel<float> complex_avx512_f32 =
    complex_kernel<SixteenFloats, 14, 1>(105, pack<SixteenFloats>);
constinit const ComplexKernel<double> complex_avx512_f64 = complex_kernel<EightDoubles, 14, 1>(50, pack<EightDoubles>);

}  // namespace tw::cpu
