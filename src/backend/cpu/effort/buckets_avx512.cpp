// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Buckets with AVX-512: a row has one word for each of 32 buckets, each with a position of its own. Ranks of an input
// are first put in their places, 32 buckets at a time and without arithmetic (compare the position, move under the
// mask); then each place is widened, multiplied and added once. An output has one term an input, so the order of
// summation is that of the inputs.
#include <immintrin.h>

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {
namespace {

constexpr int entries_ahead = 6;

/// Adds an input onto y[position][bucket].
template <int bucket>
TW_INSIDE void add_input(const std::byte* rows, std::int64_t row_bytes, unsigned ranks, __mmask32 buckets, __m512i kept,
                         float v, float (*y)[32]) {
    const __m512i low = _mm512_set1_epi16(bucket - 1);
    const __m512 factor = _mm512_set1_ps(v);
#pragma GCC unroll 1
    for (int first = 0; first < bucket; first += 8) {
        __m512i place[8];
        for (__m512i& p : place) p = _mm512_setzero_si512();
        for (unsigned r = 0; r < ranks; ++r) {
            const __m512i words = _mm512_maskz_loadu_epi16(buckets, rows + r * row_bytes);
            const __m512i position = _mm512_and_si512(words, low), value = _mm512_and_si512(words, kept);
#pragma GCC unroll 8
            for (int p = 0; p < 8; ++p)
                place[p] = _mm512_mask_mov_epi16(
                    place[p], _mm512_cmpeq_epi16_mask(position, _mm512_set1_epi16(static_cast<short>(first + p))),
                    value);
        }
#pragma GCC unroll 8
        for (int p = 0; p < 8; ++p) {
            float* to = y[first + p];
            const __m512 left = _mm512_cvtph_ps(_mm512_castsi512_si256(place[p]));
            const __m512 right = _mm512_cvtph_ps(_mm512_extracti64x4_epi64(place[p], 1));
            _mm512_store_ps(to, _mm512_fmadd_ps(factor, left, _mm512_load_ps(to)));
            _mm512_store_ps(to + 16, _mm512_fmadd_ps(factor, right, _mm512_load_ps(to + 16)));
        }
    }
}

template <int bucket>
TW_INSIDE void run(const EffortTile& tile) {
    alignas(64) float y[bucket][32] = {};
    const std::int64_t row_bytes = 2 * tile.width;
    const __mmask32 buckets = tile.width == 32 ? ~__mmask32{0} : (__mmask32{1} << tile.width) - 1;
    const __m512i kept = _mm512_set1_epi16(tile.masking ? static_cast<short>(~(bucket - 1)) : static_cast<short>(-1));
    for (std::int64_t e = 0; e < tile.count; ++e) {
        const EffortEntry& entry = tile.entries[e];
        if (e + entries_ahead < tile.count) {
            const EffortEntry& later = tile.entries[e + entries_ahead];
            const std::byte* row = tile.rows + later.input * std::int64_t{bucket} * row_bytes;
            for (std::int64_t at = 0; at < later.units * row_bytes; at += 64)
                _mm_prefetch(reinterpret_cast<const char*>(row + at), _MM_HINT_T0);
        }
        add_input<bucket>(tile.rows + entry.input * std::int64_t{bucket} * row_bytes, row_bytes, entry.units, buckets,
                          kept, entry.v, y);
    }
    for (int b = 0; b < tile.width; ++b)
        for (int p = 0; p < bucket; ++p) tile.y[bucket * b + p] = y[p][b];
}

}  // namespace

void effort_buckets_avx512(const EffortTile& tile) {
    switch (tile.bucket) {
        case 8: return run<8>(tile);
        case 16: return run<16>(tile);
        default: return run<32>(tile);
    }
}

}  // namespace tw::cpu
