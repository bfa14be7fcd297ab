// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Sixteen f32 at a time on their way into digits, and sums of digits on their way out: AVX-512.
// digit_lanes_portable.hpp has the same names, and gives the same bits. For files that are compiled with those flags.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "backend/cpu/unit/transposed_words_avx512.hpp"

namespace tw::cpu {
namespace {

struct Avx512DigitLanes {
    using Floats = __m512;
    using Numbers = __m512i;

    static Floats load(const float* from) { return _mm512_loadu_ps(from); }
    static Floats all(float one) { return _mm512_set1_ps(one); }
    static Numbers no_numbers() { return _mm512_setzero_si512(); }
    static Numbers load_numbers(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
    static void store(float* to, Floats x) { _mm512_storeu_ps(to, x); }
    static void store(std::uint32_t* to, Numbers x) { _mm512_storeu_si512(to, x); }

    static Numbers larger(Numbers sizes, Floats x) {
        return _mm512_max_epu32(sizes, _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff)));
    }
    static std::uint32_t largest(Numbers sizes) { return _mm512_reduce_max_epu32(sizes); }

    static Numbers reaching(Numbers counts, Floats x, Floats threshold) {
        const __mmask16 reach = _mm512_cmp_ps_mask(_mm512_abs_ps(x), threshold, _CMP_GE_OQ);
        return _mm512_mask_add_epi32(counts, reach, counts, _mm512_set1_epi32(1));
    }
    static std::uint32_t total(Numbers counts) { return static_cast<std::uint32_t>(_mm512_reduce_add_epi32(counts)); }

    static void cut(const Floats (&x)[4], Floats scale, std::byte* to, std::ptrdiff_t apart) {
        const __m512i x0 = digits(x[0], scale), x1 = digits(x[1], scale), x2 = digits(x[2], scale),
                      x3 = digits(x[3], scale);
        const __m512i low01 = pick(x0, _mm512_slli_epi32(x1, 8), 0x00ff00ff),
                      high01 = pick(_mm512_srli_epi32(x0, 8), x1, 0x00ff00ff);
        const __m512i low23 = pick(x2, _mm512_slli_epi32(x3, 8), 0x00ff00ff),
                      high23 = pick(_mm512_srli_epi32(x2, 8), x3, 0x00ff00ff);
        _mm512_store_si512(to, pick(_mm512_srli_epi32(low01, 16), low23, 0xffff));
        _mm512_store_si512(to + apart, pick(high01, _mm512_slli_epi32(high23, 16), 0xffff));
        _mm512_store_si512(to + 2 * apart, pick(low01, _mm512_slli_epi32(low23, 16), 0xffff));
    }

    static void transpose(std::byte* tile) { transpose_words(tile); }

    template <int weights>
    [[gnu::always_inline]] static Floats put_together(const std::int32_t* sums, std::ptrdiff_t apart, float a,
                                                      const float* b) {
        const __m512 next = _mm512_set1_ps(1.0f / 256);
        __m512 sum = _mm512_cvtepi32_ps(_mm512_load_si512(sums + (weights - 1) * apart));
        for (int weight = weights - 2; weight >= 0; --weight)
            sum = _mm512_fmadd_ps(sum, next, _mm512_cvtepi32_ps(_mm512_load_si512(sums + weight * apart)));
        return _mm512_mul_ps(sum, _mm512_mul_ps(_mm512_set1_ps(a), _mm512_load_ps(b)));
    }

    /// All sixteen of what follows.
    [[gnu::always_inline]] static void add_all_to_c(Floats sums, float* c, Floats alpha, Floats beta, bool reads_c) {
        __m512 x = _mm512_mul_ps(alpha, sums);
        if (reads_c) x = _mm512_add_ps(x, _mm512_mul_ps(beta, _mm512_loadu_ps(c)));
        _mm512_storeu_ps(c, x);
    }
    static void add_to_c(Floats sums, float* c, int count, float alpha, float beta) {
        const auto mask = static_cast<__mmask16>(0xffffu >> (16 - count));
        __m512 x = _mm512_mul_ps(_mm512_set1_ps(alpha), sums);
        if (beta != 0) x = _mm512_add_ps(x, _mm512_mul_ps(_mm512_set1_ps(beta), _mm512_maskz_loadu_ps(mask, c)));
        _mm512_mask_storeu_ps(c, mask, x);
    }

private:
    static __m512i digits(__m512 x, __m512 scale) {
        const __m512i carry = _mm512_set1_epi32(0x808080);
        return _mm512_xor_si512(_mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(x, scale)), carry), carry);
    }
    /// The bits of x where the mask has ones, else those of y.
    static __m512i pick(__m512i x, __m512i y, int mask) {
        return _mm512_ternarylogic_epi32(_mm512_set1_epi32(mask), x, y, 0xca);
    }
};

}  // namespace
}  // namespace tw::cpu
