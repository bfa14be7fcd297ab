// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Eight at a time by F16C and AVX2. The last few are taken with some before them once more, or, where all are fewer
// than eight, through places of their own.
#include <immintrin.h>

#include <cstring>

#include "base/narrow_runs.hpp"

namespace tw {
namespace {

constexpr std::int64_t lanes = 8;

struct Half {
    using Narrow = float16;
    static __m256 widen(__m128i v) { return _mm256_cvtph_ps(v); }
    static __m128i round(__m256 v) { return _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
};

struct Brain {
    using Narrow = bfloat16;
    static __m256 widen(__m128i v) { return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(v), 16)); }
    static __m128i round(__m256 v) {
        const __m256i bits = _mm256_castps_si256(v), high = _mm256_srli_epi32(bits, 16);
        const __m256i odd = _mm256_and_si256(high, _mm256_set1_epi32(1));
        const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
        const __m256i quiet = _mm256_or_si256(high, _mm256_set1_epi32(0x40));
        const __m256 is_nan = _mm256_cmp_ps(v, v, _CMP_UNORD_Q);
        const __m256i words = _mm256_blendv_epi8(_mm256_srli_epi32(up, 16), quiet, _mm256_castps_si256(is_nan));
        return _mm_packus_epi32(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
    }
};

template <class Kind>
void widen_eight(const typename Kind::Narrow* source, float* to) {
    _mm256_storeu_ps(to, Kind::widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source))));
}
template <class Kind>
void round_eight(const float* source, typename Kind::Narrow* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), Kind::round(_mm256_loadu_ps(source)));
}

template <class Kind>
void widen_few(const typename Kind::Narrow* source, std::int64_t count, float* to) {
    typename Kind::Narrow narrow[lanes] = {};
    float wide[lanes];
    std::memcpy(narrow, source, static_cast<std::size_t>(count) * sizeof *source);
    widen_eight<Kind>(narrow, wide);
    std::memcpy(to, wide, static_cast<std::size_t>(count) * sizeof *to);
}

template <class Kind>
void widen_all(const typename Kind::Narrow* source, std::int64_t step, std::int64_t rows, std::int64_t count, float* to,
               std::int64_t to_step) {
    for (; rows > 0; --rows, source += step, to += to_step) {
        if (count < lanes) {
            widen_few<Kind>(source, count, to);
            continue;
        }
        for (std::int64_t i = 0; i + lanes <= count; i += lanes) widen_eight<Kind>(source + i, to + i);
        if (count % lanes != 0) widen_eight<Kind>(source + count - lanes, to + count - lanes);
    }
}

template <class Kind>
void round_few(const float* source, std::int64_t count, typename Kind::Narrow* to) {
    float wide[lanes] = {};
    typename Kind::Narrow narrow[lanes];
    std::memcpy(wide, source, static_cast<std::size_t>(count) * sizeof *source);
    round_eight<Kind>(wide, narrow);
    std::memcpy(to, narrow, static_cast<std::size_t>(count) * sizeof *to);
}

template <class Kind>
void round_all(const float* source, std::int64_t step, std::int64_t rows, std::int64_t count, typename Kind::Narrow* to,
               std::int64_t to_step) {
    for (; rows > 0; --rows, source += step, to += to_step) {
        if (count < lanes) {
            round_few<Kind>(source, count, to);
            continue;
        }
        for (std::int64_t i = 0; i + lanes <= count; i += lanes) round_eight<Kind>(source + i, to + i);
        if (count % lanes != 0) round_eight<Kind>(source + count - lanes, to + count - lanes);
    }
}

}  // namespace

constinit const NarrowRuns narrow_runs_avx2{widen_all<Half>, widen_all<Brain>, round_all<Half>, round_all<Brain>};

}  // namespace tw
