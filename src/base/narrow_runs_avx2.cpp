// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Eight at a time by F16C and AVX2; the last few through eight places of their own.
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
void widen_all(const typename Kind::Narrow* source, std::int64_t count, float* to) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        _mm256_storeu_ps(to + i, Kind::widen(_mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i))));
    if (i == count) return;
    const auto left = static_cast<std::size_t>(count - i);
    alignas(16) std::uint16_t narrow[lanes] = {};
    alignas(32) float wide[lanes];
    std::memcpy(narrow, source + i, left * sizeof *source);
    _mm256_store_ps(wide, Kind::widen(_mm_load_si128(reinterpret_cast<const __m128i*>(narrow))));
    std::memcpy(to + i, wide, left * sizeof *to);
}

template <class Kind>
void round_all(const float* source, std::int64_t count, typename Kind::Narrow* to) {
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes)
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), Kind::round(_mm256_loadu_ps(source + i)));
    if (i == count) return;
    const auto left = static_cast<std::size_t>(count - i);
    alignas(32) float wide[lanes] = {};
    alignas(16) std::uint16_t narrow[lanes];
    std::memcpy(wide, source + i, left * sizeof *source);
    _mm_store_si128(reinterpret_cast<__m128i*>(narrow), Kind::round(_mm256_load_ps(wide)));
    std::memcpy(to + i, narrow, left * sizeof *to);
}

}  // namespace

constinit const NarrowRuns narrow_runs_avx2{widen_all<Half>, widen_all<Brain>, round_all<Half>, round_all<Brain>};

}  // namespace tw
