// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A tile of 16 x 16 words of four bytes, rows and columns exchanged. For files that are compiled with the AVX-512
// flags.
#pragma once

#include <immintrin.h>

#include <cstddef>

#if defined(__GNUC__) && !defined(__clang__)
// What _mm512_undefined_epi32() gives is undefined on purpose; g++ 12 says so wherever it is inlined.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tw::cpu {
namespace {

inline void transpose_words(std::byte* tile) {
    __m512i v[16], w[16];
    for (int i = 0; i < 16; ++i) v[i] = _mm512_load_si512(tile + 64 * i);
    for (int i = 0; i < 16; i += 2) {
        w[i] = _mm512_unpacklo_epi32(v[i], v[i + 1]);
        w[i + 1] = _mm512_unpackhi_epi32(v[i], v[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
        v[i] = _mm512_unpacklo_epi64(w[i], w[i + 2]);
        v[i + 1] = _mm512_unpackhi_epi64(w[i], w[i + 2]);
        v[i + 2] = _mm512_unpacklo_epi64(w[i + 1], w[i + 3]);
        v[i + 3] = _mm512_unpackhi_epi64(w[i + 1], w[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
        w[i] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0x88);
        w[i + 4] = _mm512_shuffle_i32x4(v[i], v[i + 4], 0xdd);
        w[i + 8] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0x88);
        w[i + 12] = _mm512_shuffle_i32x4(v[i + 8], v[i + 12], 0xdd);
    }
    for (int i = 0; i < 8; ++i) {
        _mm512_store_si512(tile + 64 * i, _mm512_shuffle_i32x4(w[i], w[i + 8], 0x88));
        _mm512_store_si512(tile + 64 * (i + 8), _mm512_shuffle_i32x4(w[i], w[i + 8], 0xdd));
    }
}

}  // namespace
}  // namespace tw::cpu
