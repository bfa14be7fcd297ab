// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes as whole codes for one vector, with AVX2: codes are multiplied where they are put together. Bits of an entry
// that are not read count as the middle of what they could be.
//
//   rows of two inputs, of A, B and C  --unpack-->  bytes of both beside each other  --shift, choose bits-->  4 a + b
//     three planes    --nibbles of C shifted up, 4 a + b unpacked above-->  words 16 F  --vpmaddwd with v d-->  sums
//     two planes      --and-->  bytes 4 a + b  --vpmaddubsw with v d-->  words, of 32 entries  --widen-->  sums
//
// So codes are unpacked once less than for four inputs, and are never stored. A chunk's sum of 16 q (F - 128) is at
// most 64 x 16 x 16256 x 128 < 2^31: it begins at - 2048 q and may wrap before its end. Words of two planes begin at
// - 8 q. A side is eight blocks, a part half of the 16 bytes that a half of a row has of four blocks: eight columns,
// in whose sums 32-bit lane l is block l of the side.
#include "backend/cpu/effort/planes_alone_avx2.hpp"
#include "backend/cpu/effort/planes_sums_avx2.hpp"

namespace tw::cpu {
namespace {

using namespace alone;

/// Where a pair's rows are read: bytes of A and B, and of C's rows of even k.
struct At {
    std::int64_t of_two_bits, of_c;
};

/// Two rows' bytes beside each other, those of a part.
template <bool is_half, int part>
TW_INSIDE __m256i beside(const std::byte* row0, const std::byte* row1) {
    const __m256i x = codes::load<is_half>(row0), y = codes::load<is_half>(row1);
    return part == 0 ? _mm256_unpacklo_epi8(x, y) : _mm256_unpackhi_epi8(x, y);
}

TW_INSIDE void clear(__m256i (&sum)[columns]) {
#pragma GCC unroll 8
    for (__m256i& some : sum) some = _mm256_setzero_si256();  // as a loop they were kept in memory
}

/// Adds a chunk's sums to y: S (step / 32), with S = sum / 2^shift + rest.
template <int shift>
TW_INSIDE void add_to_y(const __m256i (&sum)[columns], const Rounded& v, __m256* y) {
#pragma GCC unroll 8
    for (int c = 0; c < columns; ++c) {
        const __m256i some = _mm256_sub_epi32(sum[c], v.offset);
        const __m256i scaled = shift > 0 ? _mm256_srai_epi32(some, shift) : _mm256_slli_epi32(some, -shift);
        const __m256 whole = _mm256_cvtepi32_ps(_mm256_add_epi32(scaled, v.rest));
        y[c] = _mm256_add_ps(y[c], _mm256_mul_ps(whole, v.scale));
    }
}

/// A chunk onto a part's columns: column 2 k + x is output 4 (2 part + x) + k of each block's half.
template <int width, bool is_half, int part>
[[gnu::noinline]] void multiply_three(const EntryRows* rows, At at, const Rounded& v, Following& following, __m256* y) {
    const __m256i low = _mm256_set1_epi8(0x0f);
    __m256i sum[columns];
    clear(sum);
    for (int p = 0; p < pairs; ++p) {
        const EntryRows &e = rows[2 * p], &f = rows[2 * p + 1];
        if (p % 2 == 0) following.ask<width>();
        const __m256i q = v.values[p];
        __m256i upper[2] = {beside<is_half, part>(e.b + at.of_two_bits, f.b + at.of_two_bits),
                            beside<is_half, part>(e.a + at.of_two_bits, f.a + at.of_two_bits)};
        codes::put_together(upper[0], upper[1]);
#pragma GCC unroll 2
        for (int odd = 0; odd < 2; ++odd) {
            const std::int64_t of_c = at.of_c + odd * 16 * width;
            const __m256i c = beside<is_half, part>(e.c + of_c, f.c + of_c);
#pragma GCC unroll 2
            for (int second = 0; second < 2; ++second) {
                const __m256i under = _mm256_andnot_si256(low, second ? c : _mm256_slli_epi16(c, 4)),
                              above = _mm256_and_si256(second ? _mm256_srli_epi16(upper[odd], 4) : upper[odd], low);
                const int k = odd + 2 * second;
                sums::add_whole(sum[2 * k], _mm256_madd_epi16(_mm256_unpacklo_epi8(under, above), q));
                sums::add_whole(sum[2 * k + 1], _mm256_madd_epi16(_mm256_unpackhi_epi8(under, above), q));
            }
        }
    }
    add_to_y<3>(sum, v, y);
}

/// Words, one for each of a quarter's blocks and both x, onto their columns.
TW_INSIDE void widen(const __m256i (&words)[4], __m256i (&sum)[columns]) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
        sum[2 * k] = _mm256_add_epi32(sum[2 * k], _mm256_srai_epi32(_mm256_unpacklo_epi16(words[k], words[k]), 16));
        sum[2 * k + 1] =
            _mm256_add_epi32(sum[2 * k + 1], _mm256_srai_epi32(_mm256_unpackhi_epi16(words[k], words[k]), 16));
    }
}

/// The same of two planes.
template <int width, bool is_half, int part>
[[gnu::noinline]] void multiply_two(const EntryRows* rows, At at, const Rounded& v, Following& following, __m256* y) {
    const __m256i low = _mm256_set1_epi8(0x0f);
    __m256i sum[columns];
    clear(sum);
    for (int first = 0; first < pairs; first += pairs_in_words) {
        __m256i words[4];
#pragma GCC unroll 4
        for (__m256i& some : words) some = v.begin[first / pairs_in_words];
        for (int p = first; p < first + pairs_in_words; ++p) {
            const EntryRows &e = rows[2 * p], &f = rows[2 * p + 1];
            if (p % 2 == 0) following.ask<width>();
            const __m256i q = v.values[p];
            __m256i upper[2] = {beside<is_half, part>(e.b + at.of_two_bits, f.b + at.of_two_bits),
                                beside<is_half, part>(e.a + at.of_two_bits, f.a + at.of_two_bits)};
            codes::put_together(upper[0], upper[1]);
#pragma GCC unroll 2
            for (int odd = 0; odd < 2; ++odd) {
#pragma GCC unroll 2
                for (int second = 0; second < 2; ++second) {
                    const __m256i code = _mm256_and_si256(second ? _mm256_srli_epi16(upper[odd], 4) : upper[odd], low);
                    sums::add_words(words[odd + 2 * second], _mm256_maddubs_epi16(code, q));
                }
            }
        }
        widen(words, sum);
    }
    add_to_y<-5>(sum, v, y);
}

template <int planes, int width, int side>
TW_INSIDE void multiply_side(const EntryRows* rows, int h, Following& following, Desk& desk) {
    constexpr bool is_half = 2 * (side + 1) > width;
    const At at{h * 16 * width + 32 * side, h * 32 * width + 32 * side};
    const Rounded& v = desk.v[side];
    auto& y = desk.y[h][side];
    if constexpr (planes == 3) {
        multiply_three<width, is_half, 0>(rows, at, v, following, y[0]);
        multiply_three<width, is_half, 1>(rows, at, v, following, y[1]);
    } else {
        multiply_two<width, is_half, 0>(rows, at, v, following, y[0]);
        multiply_two<width, is_half, 1>(rows, at, v, following, y[1]);
    }
}

template <int width>
TW_INSIDE void write_y(const Desk& desk, float* y) {
    for (int h = 0; h < 2; ++h)
        for (int side = 0; 2 * side < width; ++side)
            for (int part = 0; part < 2; ++part)
                for (int c = 0; c < columns; ++c) {
                    const auto* lanes = reinterpret_cast<const float*>(&desk.y[h][side][part][c]);
                    float* const to = y + 256 * side + 16 * h + 4 * (2 * part + c % 2) + c / 2;
                    for (int block = 0; block < 8 && 8 * side + block < 4 * width; ++block)
                        to[32 * block] = lanes[block];
                }
}

template <int planes, int width>
void multiply_tile(const EffortWholeTile& call) {
    const WholeTileRows tile(call);
    Desk desk;
    std::memset(desk.y, 0, sizeof desk.y);
    const auto count_from = [&](std::int64_t from) {
        return static_cast<int>(call.count - from < whole_chunk ? call.count - from : whole_chunk);
    };
    int count = count_from(0), following_count;
    find_rows(tile, call.entries, count, call.has_gaps, desk.rows[0]);
    for (std::int64_t from = 0; from < call.count; from += count, count = following_count) {
        const EntryRows* const rows = desk.rows[from / whole_chunk % 2];
        EntryRows(&next)[whole_chunk] = desk.rows[from / whole_chunk % 2 ^ 1];
        const EffortEntry* const entries = call.entries + from;
        round_chunk<planes, width>(rows, entries, count, desk);
        following_count = count_from(from + count);
        find_rows(tile, entries + count, following_count, call.has_gaps, next);
        Following following{next, next + following_count, planes == 3};
        for (int h = 0; h < 2; ++h) {
            multiply_side<planes, width, 0>(rows, h, following, desk);
            if constexpr (width > 2) multiply_side<planes, width, 1>(rows, h, following, desk);
        }
    }
    write_y<width>(desk, call.y);
}

template <int width>
void multiply_tile_of(const EffortWholeTile& call) {
    if (call.planes == 2) multiply_tile<2, width>(call);
    else multiply_tile<3, width>(call);
}

}  // namespace

void effort_planes_alone_avx2(const EffortWholeTile& call) {
    switch (call.width) {
        case 1: return multiply_tile_of<1>(call);
        case 2: return multiply_tile_of<2>(call);
        case 3: return multiply_tile_of<3>(call);
        default: return multiply_tile_of<4>(call);
    }
}

}  // namespace tw::cpu
