// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sixteen f32 at a time, on their way into bf16 parts: AVX-512 with its bf16 conversion. lanes_portable.hpp has the same
// names. For files that are compiled with those flags.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "backend/cpu/window.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// What _mm512_undefined_epi32() gives is undefined on purpose; g++ 12 says so wherever it is inlined.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tw::cpu {
namespace {

struct Lanes {
    using Floats = __m512;
    using Halves = __m256i;   // sixteen bf16
    using Words = __m512i;    // sixteen pairs of them
    using Mask = __mmask16;

    static Floats load(const float* from) { return _mm512_loadu_ps(from); }
    static Floats load(const std::uint16_t* from) { return widened(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))); }

    /// To nearest even. Subnormals become zeros: they are outside of the window anyway.
    static Halves rounded(Floats x) { return reinterpret_cast<Halves>(_mm512_cvtneps_pbh(x)); }
    static Floats widened(Halves x) {
        return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
    }
    static Floats minus(Floats x, Floats y) { return _mm512_sub_ps(x, y); }

    static Words joined(Halves first, Halves second) {
        return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }
    static Words interleaved(Halves low, Halves high) {
        return _mm512_or_si512(_mm512_cvtepu16_epi32(low), _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16));
    }
    static void store(std::byte* to, Words x) { _mm512_store_si512(to, x); }

    /// The lanes that lie outside of the window, zero excepted.
    static Mask outside(Floats x) {
        const __m512i size = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
        const __m512i above = _mm512_sub_epi32(size, _mm512_set1_epi32(static_cast<int>(window_begin)));
        return _mm512_mask_cmpge_epu32_mask(_mm512_test_epi32_mask(size, size), above,
                                            _mm512_set1_epi32(static_cast<int>(window_end - window_begin)));
    }
    static Mask either(Mask x, Mask y) { return static_cast<Mask>(x | y); }
    static std::uint32_t bits(Mask x) { return x; }

    /// A tile of 16 x 16 words, rows and columns exchanged.
    static void transpose(std::byte* tile) {
        __m512i v[16], w[16];
        for (int i = 0; i < 16; ++i) v[i] = _mm512_load_si512(tile + 64 * i);
        for (int i = 0; i < 16; i += 2) {
            w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
            w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
        }
        for (int i = 0; i < 16; i += 4) {
            v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
            v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
            v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
            v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
        }
        for (int i = 0; i < 4; ++i) {
            w[i] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0x88);
            w[i + 4] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0xdd);
            w[i + 8] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0x88);
            w[i + 12] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0xdd);
        }
        for (int i = 0; i < 8; ++i) {
            _mm512_store_si512(tile + 64 * i, _mm512_shuffle_i32x4(w[i], w[i + 8], 0x88));
            _mm512_store_si512(tile + 64 * (i + 8), _mm512_shuffle_i32x4(w[i], w[i + 8], 0xdd));
        }
    }

    /// c = alpha * sums + beta * c for the first `count`; c is not read when beta is 0.
    static void meet(const float* sums, float* c, int count, float alpha, float beta) {
        const auto mask = static_cast<Mask>(0xffffu >> (16 - count));
        __m512 x = _mm512_mul_ps(_mm512_set1_ps(alpha), _mm512_load_ps(sums));
        if (beta != 0) x = _mm512_add_ps(x, _mm512_mul_ps(_mm512_set1_ps(beta), _mm512_maskz_loadu_ps(mask, c)));
        _mm512_mask_storeu_ps(c, mask, x);
    }

    static void fetch(const std::byte* from) { _mm_prefetch(reinterpret_cast<const char*>(from), _MM_HINT_T1); }
};

}  // namespace
}  // namespace tw::cpu
