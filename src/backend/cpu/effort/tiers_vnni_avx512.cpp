// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tiers with AVX-512: a tier's values are expanded to their positions by its mask, over what the tiers before it left
// there; then one multiply-add an output and input, however many tiers were read. With all of them that is the dense
// product to the bit.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {
namespace {

constexpr int pairs_at_once = 8;  // 2 sums each: 16 registers
constexpr int entries_ahead = 6;

template <class T>
TW_INSIDE T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

/// The outputs of two buckets of 16, as far as `units` tiers of them go.
template <Type type>
TW_INSIDE void gather(const std::byte* unit, std::int64_t unit_bytes, unsigned units, int pair, int width,
                      __m512& first, __m512& second) {
    if constexpr (type == Type::f32) {
        first = second = _mm512_setzero_ps();
        for (unsigned u = 0; u < units; ++u, unit += unit_bytes) {
            const auto masks = read<std::uint32_t>(unit + 4 * pair);
            const std::byte* values = unit + 2 * width + 32 * pair;
            first = _mm512_mask_expand_ps(first, static_cast<__mmask16>(masks),
                                          _mm512_castps128_ps512(_mm_loadu_ps(reinterpret_cast<const float*>(values))));
            second = _mm512_mask_expand_ps(
                second, static_cast<__mmask16>(masks >> 16),
                _mm512_castps128_ps512(_mm_loadu_ps(reinterpret_cast<const float*>(values + 16))));
        }
    } else {
        __m512i words = _mm512_setzero_si512();
        for (unsigned u = 0; u < units; ++u, unit += unit_bytes) {
            const __m128i values = _mm_loadu_si128(reinterpret_cast<const __m128i*>(unit + 2 * width + 16 * pair));
            words =
                _mm512_mask_expand_epi16(words, read<std::uint32_t>(unit + 4 * pair), _mm512_castsi128_si512(values));
        }
        const __m256i low = _mm512_castsi512_si256(words), high = _mm512_extracti64x4_epi64(words, 1);
        if constexpr (type == Type::f16) {
            first = _mm512_cvtph_ps(low), second = _mm512_cvtph_ps(high);
        } else {
            first = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(low), 16));
            second = _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16));
        }
    }
}

template <Type type, int pairs, int units_known>
TW_INSIDE void add_entry(const std::byte* unit, std::int64_t unit_bytes, unsigned units, int from, int width, __m512 v,
                         __m512 (&sum)[2 * pairs]) {
#pragma GCC unroll 8
    for (int p = 0; p < pairs; ++p) {
        __m512 first, second;
        gather<type>(unit, unit_bytes, units_known > 0 ? units_known : units, from + p, width, first, second);
        sum[2 * p] = _mm512_fmadd_ps(v, first, sum[2 * p]);
        sum[2 * p + 1] = _mm512_fmadd_ps(v, second, sum[2 * p + 1]);
    }
}

template <Type type, int pairs>
TW_INSIDE void run_pairs(const EffortTile& tile, int from) {
    constexpr std::int64_t value_bytes = type == Type::f32 ? 4 : 2;
    const std::int64_t unit_bytes = (2 + 4 * value_bytes) * tile.width;
    __m512 sum[2 * pairs];
    for (__m512& s : sum) s = _mm512_setzero_ps();
    for (std::int64_t e = 0; e < tile.count; ++e) {
        const EffortEntry& entry = tile.entries[e];
        const std::byte* unit = tile.rows + entry.input * std::int64_t{4} * unit_bytes;
        if (from == 0 && e + entries_ahead < tile.count) {
            const EffortEntry& later = tile.entries[e + entries_ahead];
            const std::byte* row = tile.rows + later.input * std::int64_t{4} * unit_bytes;
            for (std::int64_t at = 0; at < later.units * unit_bytes; at += 64)
                _mm_prefetch(reinterpret_cast<const char*>(row + at), _MM_HINT_T0);
        }
        const __m512 v = _mm512_set1_ps(entry.v);
        switch (entry.units) {
            case 1: add_entry<type, pairs, 1>(unit, unit_bytes, 1, from, tile.width, v, sum); break;
            case 2: add_entry<type, pairs, 2>(unit, unit_bytes, 2, from, tile.width, v, sum); break;
            default: add_entry<type, pairs, 0>(unit, unit_bytes, entry.units, from, tile.width, v, sum); break;
        }
    }
    for (int s = 0; s < 2 * pairs; ++s) _mm512_storeu_ps(tile.y + 16 * (2 * from + s), sum[s]);
}

template <Type type>
TW_INSIDE void run(const EffortTile& tile) {
    int from = 0;
    for (; from + pairs_at_once <= tile.width / 2; from += pairs_at_once) run_pairs<type, pairs_at_once>(tile, from);
    for (; from < tile.width / 2; ++from) run_pairs<type, 1>(tile, from);
}

}  // namespace

void effort_tiers_avx512(const EffortTile& tile) {
    switch (tile.type) {
        case Type::f16: return run<Type::f16>(tile);
        case Type::bf16: return run<Type::bf16>(tile);
        default: return run<Type::f32>(tile);
    }
}

}  // namespace tw::cpu
