// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/row_sums.hpp"
#include "multiply/row_sums_by_vectors.hpp"

namespace tw {
namespace {

struct Four : Single {
    using Of = __m256d;
    static constexpr int lanes = 4;
    static Of of(const double* p) { return _mm256_loadu_pd(p); }
    static Of of(const float* p) { return _mm256_cvtps_pd(_mm_loadu_ps(p)); }
    static Of of(const float16* p) { return _mm256_cvtps_pd(_mm_cvtph_ps(bits(p))); }
    static Of of(const bfloat16* p) {
        return _mm256_cvtps_pd(_mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu16_epi32(bits(p)), 16)));
    }
    static Of all(double value) { return _mm256_set1_pd(value); }
    static Of zero() { return _mm256_setzero_pd(); }
    static void put(double* p, Of v) { _mm256_storeu_pd(p, v); }
    static Of size(Of v) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), v); }
    static Of product_and(Of a, Of b, Of c) { return _mm256_fmadd_pd(a, b, c); }
    static double sum(Of v) {
        const __m128d halves = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
        return _mm_cvtsd_f64(halves) + _mm_cvtsd_f64(_mm_unpackhi_pd(halves, halves));
    }

private:
    static __m128i bits(const void* p) { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
};

}  // namespace

bool row_sums_avx2(const Matrix& m, const double* x, const double* w, double* sums, double* sizes) noexcept {
    return add_up_any<Four>(m, {x, w, sums, sizes});
}

}  // namespace tw
