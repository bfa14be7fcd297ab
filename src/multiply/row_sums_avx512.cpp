// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/row_sums.hpp"
#include "multiply/row_sums_by_vectors.hpp"

namespace tw {
namespace {

struct Eight : Single {
    using Of = __m512d;
    static constexpr int lanes = 8;
    static Of of(const double* p) { return _mm512_loadu_pd(p); }
    static Of of(const float* p) { return _mm512_cvtps_pd(_mm256_loadu_ps(p)); }
    static Of of(const float16* p) { return _mm512_cvtps_pd(_mm256_cvtph_ps(bits(p))); }
    static Of of(const bfloat16* p) {
        return _mm512_cvtps_pd(_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits(p)), 16)));
    }
    static Of all(double value) { return _mm512_set1_pd(value); }
    static Of zero() { return _mm512_setzero_pd(); }
    static void put(double* p, Of v) { _mm512_storeu_pd(p, v); }
    static Of size(Of v) { return _mm512_abs_pd(v); }
    static Of product_and(Of a, Of b, Of c) { return _mm512_fmadd_pd(a, b, c); }
    static double sum(Of v) { return _mm512_reduce_add_pd(v); }

private:
    static __m128i bits(const void* p) { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
};

}  // namespace

bool row_sums_avx512(const Matrix& m, const double* x, const double* w, double* sums, double* sizes) noexcept {
    return add_up_any<Eight>(m, {x, w, sums, sizes});
}

}  // namespace tw
