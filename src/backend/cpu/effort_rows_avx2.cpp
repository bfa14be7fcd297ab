// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Buckets and tiers with AVX2, which has no instruction that puts words in places: what is read of an input is stored to its
// places in a row of the first cache, one word at a time, and the row is then widened, multiplied and added with vectors. One
// multiply-add an output and input, in the order of the inputs: tiers read to the end are the dense product to the bit.
#include <immintrin.h>

#include <cstring>

#include "backend/cpu/effort.hpp"

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
TW_INSIDE __m256 widened(const std::uint16_t* words) {
    const __m128i bits = _mm_load_si128(reinterpret_cast<const __m128i*>(words));
    if constexpr (type == Type::f16) return _mm256_cvtph_ps(bits);
    else return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}
template <Type type>
TW_INSIDE __m256 widened(const float* values) {
    return _mm256_load_ps(values);
}

/// y += v times a row, which is zero again afterwards.
template <Type type, class Value>
TW_INSIDE void add_row(Value* row, int outputs, float v, float* y) {
    const __m256 factor = _mm256_set1_ps(v);
    for (int o = 0; o < outputs; o += 8) _mm256_storeu_ps(y + o, _mm256_fmadd_ps(factor, widened<type>(row + o), _mm256_loadu_ps(y + o)));
    std::memset(row, 0, static_cast<std::size_t>(outputs) * sizeof(Value));
}

template <Type type, class Value>
TW_INSIDE void run_tiers(const EffortTile& tile) {
    alignas(32) Value row[512] = {};
    const std::int64_t unit_bytes = static_cast<std::int64_t>(2 + 4 * sizeof(Value)) * tile.width;
    for (int o = 0; o < 16 * tile.width; ++o) tile.y[o] = 0;
    for (std::int64_t e = 0; e < tile.count; ++e) {
        const EffortEntry& entry = tile.entries[e];
        const std::byte* unit = tile.rows + entry.input * std::int64_t{4} * unit_bytes;
        for (unsigned u = 0; u < entry.units; ++u, unit += unit_bytes) {
            const std::byte* values = unit + 2 * tile.width;
            for (int b = 0; b < tile.width; ++b)
                for (unsigned mask = read<std::uint16_t>(unit + 2 * b), r = 0; r < 4 && mask != 0; ++r, mask &= mask - 1, values += sizeof(Value))
                    row[16 * b + __builtin_ctz(mask)] = read<Value>(values);
        }
        add_row<type>(row, 16 * tile.width, entry.v, tile.y);
    }
}

}  // namespace

void effort_tiers_avx2(const EffortTile& tile) {
    switch (tile.type) {
        case Type::f16: return run_tiers<Type::f16, std::uint16_t>(tile);
        case Type::bf16: return run_tiers<Type::bf16, std::uint16_t>(tile);
        default: return run_tiers<Type::f32, float>(tile);
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
        add_row<Type::f16>(row, tile.bucket * tile.width, entry.v, tile.y);
    }
}

}  // namespace tw::cpu
