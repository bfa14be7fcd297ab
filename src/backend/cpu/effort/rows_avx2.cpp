// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Buckets and tiers with AVX2, which has no instruction that puts words in places.
// tiers: eight bits of a mask choose a row of a table, by which the bucket's words, or values, are shuffled to eight
// outputs:
//      mask 01001000, words a b . .   --table-->   indices - - - 0 - - 1 -   --shuffle-->   0 0 0 a 0 0 b 0
// buckets: what is read of an input is stored to its places in a row of L1, one word at a time, and the
// row is then widened, multiplied and added with vectors. One multiply-add an output and input, in the order of the
// inputs: tiers read to the end are the dense product to the bit.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {
namespace {

template <class T>
TW_INSIDE T read(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <Type type>
TW_INSIDE __m256 widened(__m128i words) {
    if constexpr (type == Type::f16) return _mm256_cvtph_ps(words);
    else return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(words), 16));
}

/// For each eight bits, where their outputs' words are: byte 2 p and 2 p + 1 of those of bit p; -1 where the bit is not
/// set.
struct Places {
    alignas(64) std::int8_t of_bits[256][16];

    constexpr Places() : of_bits() {
        for (int bits = 0; bits < 256; ++bits)
            for (int p = 0, place = 0; p < 8; ++p) {
                const bool is_there = (bits >> p & 1) != 0;
                of_bits[bits][2 * p] = static_cast<std::int8_t>(is_there ? 2 * place : -1);
                of_bits[bits][2 * p + 1] = static_cast<std::int8_t>(is_there ? 2 * place + 1 : -1);
                place += is_there;
            }
    }
};
constexpr Places places;

/// What is read of a bucket: outputs 0..7 and 8..15.
struct Halves {
    __m256 low, high;
};

TW_INSIDE __m128i place_words(std::uint64_t words, unsigned bits) {
    const __m128i to = _mm_load_si128(reinterpret_cast<const __m128i*>(places.of_bits[bits]));
    return _mm_shuffle_epi8(_mm_cvtsi64_si128(static_cast<long long>(words)), to);
}

TW_INSIDE __m256 place_values(__m256 values, unsigned bits, unsigned first) {
    const __m256i words = _mm256_cvtepi16_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(places.of_bits[bits])));
    const __m256i place = _mm256_srli_epi32(_mm256_and_si256(words, _mm256_set1_epi32(0xff)), 1);
    const __m256 placed =
        _mm256_permutevar8x32_ps(values, _mm256_add_epi32(place, _mm256_set1_epi32(static_cast<int>(first))));
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_srai_epi32(words, 31)), placed);
}

template <Type type, int units>
TW_INSIDE Halves gather(const std::byte* unit, std::int64_t unit_bytes, int bucket, int width) {
    if constexpr (type == Type::f32) {
        Halves sum{_mm256_setzero_ps(), _mm256_setzero_ps()};
#pragma GCC unroll 4
        for (int u = 0; u < units; ++u, unit += unit_bytes) {
            const unsigned mask = read<std::uint16_t>(unit + 2 * bucket), low = mask & 0xff;
            const __m256 values = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(unit + 2 * width + 16 * bucket));
            sum.low = _mm256_or_ps(sum.low, place_values(values, low, 0));
            sum.high =
                _mm256_or_ps(sum.high, place_values(values, mask >> 8, static_cast<unsigned>(__builtin_popcount(low))));
        }
        return sum;
    } else {
        __m128i low_words = _mm_setzero_si128(), high_words = _mm_setzero_si128();
#pragma GCC unroll 4
        for (int u = 0; u < units; ++u, unit += unit_bytes) {
            const unsigned mask = read<std::uint16_t>(unit + 2 * bucket), low = mask & 0xff;
            const auto words = read<std::uint64_t>(unit + 2 * width + 8 * bucket);
            const int half = 8 * __builtin_popcount(low) & 63;  // of the bits that the low outputs have
            low_words = _mm_or_si128(low_words, place_words(words, low));
            high_words = _mm_or_si128(high_words, place_words(words >> half >> half, mask >> 8));
        }
        return {widened<type>(low_words), widened<type>(high_words)};
    }
}

template <Type type, int units>
TW_INSIDE void add_entry(const EffortTile& tile, const std::byte* unit, std::int64_t unit_bytes, float v) {
    const __m256 factor = _mm256_set1_ps(v);
    for (int b = 0; b < tile.width; ++b) {
        const Halves read = gather<type, units>(unit, unit_bytes, b, tile.width);
        float* y = tile.y + 16 * b;
        _mm256_storeu_ps(y, _mm256_fmadd_ps(factor, read.low, _mm256_loadu_ps(y)));
        _mm256_storeu_ps(y + 8, _mm256_fmadd_ps(factor, read.high, _mm256_loadu_ps(y + 8)));
    }
}

template <Type type>
TW_INSIDE void run_tiers(const EffortTile& tile) {
    constexpr int entries_ahead = 6;
    constexpr std::int64_t value_bytes = type == Type::f32 ? 4 : 2;
    const std::int64_t unit_bytes = (2 + 4 * value_bytes) * tile.width;
    for (int o = 0; o < 16 * tile.width; ++o) tile.y[o] = 0;
    for (std::int64_t e = 0; e < tile.count; ++e) {
        const EffortEntry& entry = tile.entries[e];
        if (e + entries_ahead < tile.count) {
            const EffortEntry& later = tile.entries[e + entries_ahead];
            const std::byte* row = tile.rows + later.input * std::int64_t{4} * unit_bytes;
            for (std::int64_t at = 0; at < later.units * unit_bytes; at += 64) __builtin_prefetch(row + at);
        }
        const std::byte* unit = tile.rows + entry.input * std::int64_t{4} * unit_bytes;
        switch (entry.units) {
            case 1: add_entry<type, 1>(tile, unit, unit_bytes, entry.v); break;
            case 2: add_entry<type, 2>(tile, unit, unit_bytes, entry.v); break;
            case 3: add_entry<type, 3>(tile, unit, unit_bytes, entry.v); break;
            default: add_entry<type, 4>(tile, unit, unit_bytes, entry.v); break;
        }
    }
}

/// y += v times a row of f16, which is zero again afterwards.
TW_INSIDE void add_row(std::uint16_t* row, int outputs, float v, float* y) {
    const __m256 factor = _mm256_set1_ps(v);
    for (int o = 0; o < outputs; o += 8) {
        const __m256 w = widened<Type::f16>(_mm_load_si128(reinterpret_cast<const __m128i*>(row + o)));
        _mm256_storeu_ps(y + o, _mm256_fmadd_ps(factor, w, _mm256_loadu_ps(y + o)));
    }
    std::memset(row, 0, static_cast<std::size_t>(outputs) * sizeof *row);
}

}  // namespace

void effort_tiers_avx2(const EffortTile& tile) {
    switch (tile.type) {
        case Type::f16: return run_tiers<Type::f16>(tile);
        case Type::bf16: return run_tiers<Type::bf16>(tile);
        default: return run_tiers<Type::f32>(tile);
    }
}

void effort_buckets_avx2(const EffortTile& tile) {
    alignas(32) std::uint16_t row[1024] = {};
    const unsigned low = static_cast<unsigned>(tile.bucket) - 1, kept = tile.masking ? ~low : ~0u;
    for (int o = 0; o < tile.bucket * tile.width; ++o) tile.y[o] = 0;
    for (std::int64_t e = 0; e < tile.count; ++e) {
        const EffortEntry& entry = tile.entries[e];
        const std::byte* words = tile.rows + entry.input * std::int64_t{tile.bucket} * 2 * tile.width;
        for (unsigned rank = 0; rank < entry.units; ++rank)
            for (int b = 0; b < tile.width; ++b, words += 2) {
                const unsigned word = read<std::uint16_t>(words);
                row[tile.bucket * b + static_cast<int>(word & low)] = static_cast<std::uint16_t>(word & kept);
            }
        add_row(row, tile.bucket * tile.width, entry.v, tile.y);
    }
}

}  // namespace tw::cpu
