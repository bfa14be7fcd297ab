// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sixteen f32 at a time, on their way into bf16 parts: AVX-512 with its bf16 conversion. lanes_portable.hpp has the
// same names. For files that are compiled with those flags.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "backend/cpu/unit/transposed_words_avx512.hpp"
#include "backend/cpu/unit/window.hpp"

namespace tw::cpu {
namespace {

struct Avx512Lanes {
    using Floats = __m512;
    using Halves = __m256i;  // sixteen bf16
    using Words = __m512i;   // sixteen pairs of them
    using Mask = __mmask16;

    static Floats load(const float* from) { return _mm512_loadu_ps(from); }
    static Halves load_halves(const std::uint16_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static Words load_words(const std::uint16_t* from) { return _mm512_loadu_si512(from); }

    /// To nearest even. Subnormals become zeros: they are outside of the window anyway.
    static Halves rounded(Floats x) { return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(x)); }
    static Floats widened(Halves x) { return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16)); }
    static Floats minus(Floats x, Floats y) { return _mm512_sub_ps(x, y); }

    static Words joined(Halves first, Halves second) {
        return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }
    static Words interleaved(Halves low, Halves high) {
        return _mm512_or_si512(_mm512_cvtepu16_epi32(low), _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16));
    }
    /// Pairs of the first sixteen halves of both, and of the last sixteen.
    static Words low_pairs(Words even, Words odd) { return _mm512_permutex2var_epi16(even, pairs_from(0), odd); }
    static Words high_pairs(Words even, Words odd) { return _mm512_permutex2var_epi16(even, pairs_from(16), odd); }
    static void store(std::byte* to, Words x) { _mm512_store_si512(to, x); }

    /// The lanes that lie outside of the window, zero excepted.
    static Mask outside(Floats x) {
        const __m512i size = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
        const __m512i above = _mm512_sub_epi32(size, _mm512_set1_epi32(static_cast<int>(window_begin)));
        return _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(size, size), above,
                                            _mm512_set1_epi32(static_cast<int>(window_end - window_begin)));
    }
    /// The same of single halves.
    static std::uint32_t halves_outside(Words x) {
        const __m512i size = _mm512_and_si512(x, _mm512_set1_epi16(0x7fff));
        const __m512i above = _mm512_sub_epi16(size, _mm512_set1_epi16(static_cast<short>(window_begin >> 16)));
        return _mm512_mask_cmpge_epu16_mask(_mm512_test_epi16_mask(size, size), above,
                                            _mm512_set1_epi16(static_cast<short>((window_end - window_begin) >> 16)));
    }
    static Mask either(Mask x, Mask y) { return static_cast<Mask>(x | y); }
    static std::uint32_t bits(Mask x) { return x; }

    static void transpose(std::byte* tile) { transpose_words(tile); }

    static Floats all(float x) { return _mm512_set1_ps(x); }

    static Floats load_some(const float* from, Mask which) { return _mm512_maskz_loadu_ps(which, from); }
    static Floats load_some(const std::uint16_t* from, Mask which) {
        return widened(_mm256_maskz_loadu_epi16(which, from));
    }
    static void store_some(float* to, Floats x, Mask which) { _mm512_mask_storeu_ps(to, which, x); }
    /// As to_bfloat16 rounds, which keeps subnormals.
    static void store_some(std::uint16_t* to, Floats x, Mask which) {
        const __m512i bits = _mm512_castps_si512(x), high = _mm512_srli_epi32(bits, 16);
        const __m512i half = _mm512_add_epi32(_mm512_and_si512(high, _mm512_set1_epi32(1)), _mm512_set1_epi32(0x7fff));
        const __m512i nearest = _mm512_srli_epi32(_mm512_add_epi32(bits, half), 16);
        const Mask is_nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
        const __m512i halves = _mm512_mask_or_epi32(nearest, is_nan, high, _mm512_set1_epi32(0x40));
        _mm256_mask_storeu_epi16(to, which, _mm512_cvtepi32_epi16(halves));
    }

    /// c = alpha * (sums + partial) + beta * c for sixteen of them or those whose bit is set.
    template <class C>
    [[gnu::always_inline]] static void add_to_c(const float* sums, const float* partial, C* c, Floats alpha,
                                                Floats beta, bool reads_c, Mask which = 0xffff) {
        __m512 x = _mm512_loadu_ps(sums);
        if (partial) x = _mm512_add_ps(x, _mm512_load_ps(partial));
        x = _mm512_mul_ps(alpha, x);
        if (reads_c) x = _mm512_add_ps(x, _mm512_mul_ps(beta, load_some(c, which)));
        store_some(c, x, which);
    }

private:
    /// n, 32 + n, n + 1, 33 + n ...
    static __m512i pairs_from(short first) {
        const __m512i from_zero = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        const __m512i evens = _mm512_add_epi32(from_zero, _mm512_set1_epi32(first));
        return _mm512_or_si512(evens, _mm512_slli_epi32(_mm512_add_epi32(evens, _mm512_set1_epi32(32)), 16));
    }
};

}  // namespace
}  // namespace tw::cpu
