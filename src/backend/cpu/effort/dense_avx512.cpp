// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The dense copy with AVX-512: 256 outputs are 16 sums in registers, and an input's row is one stream of 512 bytes. A
// batch takes each block of inputs from the cache again, in the same order of summation.
#include <immintrin.h>

#include "backend/cpu/effort/kernels.hpp"

#define TW_INSIDE [[gnu::always_inline]] static inline

namespace tw::cpu {
namespace {

template <Type type>
TW_INSIDE __m512 load(const std::byte* row, int vector) {
    if constexpr (type == Type::f32) return _mm512_loadu_ps(row + 64 * vector);
    const __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row + 32 * vector));
    if constexpr (type == Type::f16) return _mm512_cvtph_ps(bits);
    else return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bits), 16));
}

/// `vectors` registers of sums, over the inputs from `first` to `end`.
template <Type type, int vectors>
TW_INSIDE void add_inputs(const EffortDenseTile& tile, int from, const float* v, std::int64_t first, std::int64_t end,
                          float* y) {
    constexpr int value_bytes = type == Type::f32 ? 4 : 2;
    const std::int64_t step = tile.width * value_bytes;
    const std::byte* row = tile.rows + first * step + from * 16 * value_bytes;
    __m512 sum[vectors];
    for (int n = 0; n < vectors; ++n) sum[n] = _mm512_loadu_ps(y + 16 * (from + n));
    for (std::int64_t i = first; i < end; ++i, row += step) {
        const __m512 x = _mm512_set1_ps(v[i]);
#pragma GCC unroll 16
        for (int n = 0; n < vectors; ++n) {
            if constexpr (vectors == 16) {
                if (n % (32 / value_bytes / 4) == 0)
                    _mm_prefetch(reinterpret_cast<const char*>(row + 4 * step + 16 * value_bytes * n), _MM_HINT_T0);
            }
            sum[n] = _mm512_fmadd_ps(x, load<type>(row, n), sum[n]);
        }
    }
    for (int n = 0; n < vectors; ++n) _mm512_storeu_ps(y + 16 * (from + n), sum[n]);
}

template <Type type>
TW_INSIDE void run(const EffortDenseTile& tile) {
    constexpr std::int64_t block = 512;  // inputs: 256 KB of f16 stay in L2 for the next vector
    const std::int64_t inputs_at_once = tile.vectors > 1 ? block : tile.inputs;
    for (int r = 0; r < tile.vectors; ++r)
        for (int o = 0; o < tile.width; ++o) tile.y[256 * r + o] = 0;
    for (std::int64_t first = 0; first < tile.inputs; first += inputs_at_once) {
        const std::int64_t end = first + inputs_at_once < tile.inputs ? first + inputs_at_once : tile.inputs;
        for (int r = 0; r < tile.vectors; ++r) {
            const float* v = tile.v + r * tile.v_step;
            float* y = tile.y + 256 * r;
            if (tile.width == 256) {
                add_inputs<type, 16>(tile, 0, v, first, end, y);
            } else {
                int from = 0;
                for (; from + 4 <= tile.width / 16; from += 4) add_inputs<type, 4>(tile, from, v, first, end, y);
                for (; from < tile.width / 16; ++from) add_inputs<type, 1>(tile, from, v, first, end, y);
            }
        }
    }
}

}  // namespace

void effort_dense_avx512(const EffortDenseTile& tile) {
    switch (tile.type) {
        case Type::f16: return run<Type::f16>(tile);
        case Type::bf16: return run<Type::bf16>(tile);
        default: return run<Type::f32>(tile);
    }
}

}  // namespace tw::cpu
