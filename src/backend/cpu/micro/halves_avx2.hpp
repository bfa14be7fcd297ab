// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Vectors of 16 bytes, for squares of B that are turned in registers on a core that splits 32-byte instructions: two
// halves of a vector from two columns each take more instructions there than two vectors.
// For files that are compiled with the AVX2 flags.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "backend/cpu/micro/narrow_avx2.hpp"

namespace tw::cpu {
namespace {

struct FourFloats {
    using Element = float;
    using Register = __m128;
    static constexpr int lanes = 4;
    static constexpr int broadcasts_folded = 0;
    template <class Of>
    static constexpr int steps_turned = 16 / sizeof(Of);

    static Register zero() { return _mm_setzero_ps(); }
    static Register load(const float* p) { return _mm_loadu_ps(p); }
    static void store(float* p, Register v) { _mm_storeu_ps(p, v); }
    static Register broadcast(const float* p) { return _mm_broadcast_ss(p); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static float element(float x) { return x; }
    static float element(bfloat16 narrow) { return widened_one(narrow); }
    static void turn(const float* from, std::int64_t step, Register (&square)[4]) {
        for (int i = 0; i < 4; ++i) square[i] = _mm_loadu_ps(from + i * step);
        _MM_TRANSPOSE4_PS(square[0], square[1], square[2], square[3]);
    }
    /// Eight steps of four columns, as they are and then widened.
    static void turn(const bfloat16* from, std::int64_t step, Register (&square)[8]) {
        __m128i x[4];
        for (int i = 0; i < 4; ++i) x[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * step));
        for (int i = 0; i < 2; ++i) {
            const auto words = [i](__m128i a, __m128i b) {
                return i == 0 ? _mm_unpacklo_epi16(a, b) : _mm_unpackhi_epi16(a, b);
            };
            const __m128i left = words(x[0], x[1]), right = words(x[2], x[3]);
            widen(_mm_unpacklo_epi32(left, right), square[4 * i], square[4 * i + 1]);
            widen(_mm_unpackhi_epi32(left, right), square[4 * i + 2], square[4 * i + 3]);
        }
    }

private:
    static void widen(__m128i two, Register& first, Register& second) {
        first = _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), two));
        second = _mm_castsi128_ps(_mm_unpackhi_epi16(_mm_setzero_si128(), two));
    }
};

struct TwoDoubles {
    using Element = double;
    using Register = __m128d;
    static constexpr int lanes = 2;
    static constexpr int broadcasts_folded = 0;
    template <class>
    static constexpr int steps_turned = 2;

    static Register zero() { return _mm_setzero_pd(); }
    static Register load(const double* p) { return _mm_loadu_pd(p); }
    static void store(double* p, Register v) { _mm_storeu_pd(p, v); }
    static Register broadcast(const double* p) { return _mm_loaddup_pd(p); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static double element(double x) { return x; }
    static void turn(const double* from, std::int64_t step, Register (&square)[2]) {
        const Register a = load(from), b = load(from + step);
        square[0] = _mm_unpacklo_pd(a, b), square[1] = _mm_unpackhi_pd(a, b);
    }
};

}  // namespace
}  // namespace tw::cpu
