// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The dense copy with AVX2: 64 outputs are 8 sums in registers; 32 inputs of a tile are 16 KB of f16, read from memory
// once and from L1 for the other outputs and vectors. Each output's terms are added in the order of the
// inputs.
#include <immintrin.h>

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {
namespace {

constexpr std::int64_t block = 32;
constexpr std::int64_t bytes_ahead = 4096;

template <Type type>
TW_INSIDE __m256 load(const std::byte* row, int vector) {
    if constexpr (type == Type::f32) return _mm256_loadu_ps(reinterpret_cast<const float*>(row + 32 * vector));
    const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + 16 * vector));
    if constexpr (type == Type::f16) return _mm256_cvtph_ps(bits);
    else return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// Adds inputs first .. end - 1 onto 8 x `vectors` outputs from `from` on.
template <Type type, int vectors>
TW_INSIDE void add_inputs(const EffortDenseTile& tile, int from, const float* v, std::int64_t first, std::int64_t end,
                          float* y) {
    constexpr int value_bytes = type == Type::f32 ? 4 : 2;
    const std::int64_t step = tile.width * value_bytes;
    const std::byte* row = tile.rows + first * step + from * value_bytes;
    __m256 sum[vectors];
    for (int n = 0; n < vectors; ++n) sum[n] = _mm256_loadu_ps(y + from + 8 * n);
    for (std::int64_t i = first; i < end; ++i, row += step) {
        const __m256 x = _mm256_set1_ps(v[i]);
        for (int line = 0; line < 8 * vectors * value_bytes; line += 64)
            _mm_prefetch(reinterpret_cast<const char*>(row + line + bytes_ahead), _MM_HINT_T0);
#pragma GCC unroll 8
        for (int n = 0; n < vectors; ++n) sum[n] = _mm256_fmadd_ps(x, load<type>(row, n), sum[n]);
    }
    for (int n = 0; n < vectors; ++n) _mm256_storeu_ps(y + from + 8 * n, sum[n]);
}

template <Type type>
TW_INSIDE void run(const EffortDenseTile& tile) {
    for (int r = 0; r < tile.vectors; ++r)
        for (int o = 0; o < tile.width; ++o) tile.y[256 * r + o] = 0;
    for (std::int64_t first = 0; first < tile.inputs; first += block) {
        const std::int64_t end = first + block < tile.inputs ? first + block : tile.inputs;
        for (int r = 0; r < tile.vectors; ++r) {
            const float* v = tile.v + r * tile.v_step;
            int from = 0;
            for (; from + 64 <= tile.width; from += 64)
                add_inputs<type, 8>(tile, from, v, first, end, tile.y + 256 * r);
            for (; from < tile.width; from += 16) add_inputs<type, 2>(tile, from, v, first, end, tile.y + 256 * r);
        }
    }
}

}  // namespace

void effort_dense_avx2(const EffortDenseTile& tile) {
    switch (tile.type) {
        case Type::f16: return run<Type::f16>(tile);
        case Type::bf16: return run<Type::bf16>(tile);
        default: return run<Type::f32>(tile);
    }
}

}  // namespace tw::cpu
