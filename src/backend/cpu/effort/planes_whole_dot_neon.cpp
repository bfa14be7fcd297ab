// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes as whole codes, with NEON's products of bytes: a chunk's codes are put together once, for all vectors.
//
//   rows of 4 inputs  --zip-->  a 32-bit lane has 4 inputs of one output, lane = block  --sdot with high and low of
//   q--> sums
//
// Four blocks (a quarter) and the half of each block's outputs that a row's half holds are 16 columns: column 4 k + t.
// Codes are taken less 128, to be signed: 2 F - 255 = 2 (F - 128) + 1, and without C 2 F - 256 = 2 (F - 128). q = 128
// high + low.
#include <arm_neon.h>

#include <cstring>

#include "backend/cpu/effort/planes_tile.hpp"

namespace tw::cpu {
namespace {

using planes::whole_chunk;
constexpr int groups = whole_chunk / 4, columns = 16, most_quarters = 4;

/// What a tile's chunk is made into; of each quarter what its blocks need.
struct Desk {
    int8x16_t codes[groups][columns];
    int8x16_t v[most_whole_vectors][most_quarters][groups][2];  ///< bytes of four inputs: high, and low
    int32x4_t sum[most_whole_vectors][most_quarters];           ///< of q where C is read
    EntryRows rows[whole_chunk];
    float32x4_t scale[most_whole_vectors][most_quarters];
    float product[whole_chunk][4], y[most_whole_vectors][32][16];
};

/// Rounds v d of a vector's chunk, for the four blocks of a quarter.
TW_INSIDE void round_chunk(const EffortEntry* entries, int count, int r, int quarter, int planes, Desk& desk) {
    float32x4_t most = vdupq_n_f32(0);
    for (int e = 0; e < whole_chunk; ++e) {
        float32x4_t p = vdupq_n_f32(0);
        if (e < count) {
            std::uint16_t scales[4];
            std::memcpy(scales, desk.rows[e].scales + 8 * quarter, 8);
            p = vmulq_n_f32(vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(scales))), entries[e].v);
        }
        vst1q_f32(desk.product[e], p);
        most = vmaxq_f32(most, vabsq_f32(p));
    }
    const uint32x4_t some = vcgeq_f32(most, vdupq_n_f32(planes::least));
    const float32x4_t all =
        vdupq_n_f32(static_cast<float>(planes == 2 ? planes::whole_most_of_two : planes::whole_most));
    const float32x4_t inverse = vreinterpretq_f32_u32(vandq_u32(some, vreinterpretq_u32_f32(vdivq_f32(all, most))));
    int32x4_t sum = vdupq_n_s32(0);
    for (int g = 0; g < groups; ++g) {
        uint32x4_t high = vdupq_n_u32(0), low = high;
        for (int e = 0; e < 4; ++e) {
            const int32x4_t q = vcvtnq_s32_f32(vmulq_f32(vld1q_f32(desk.product[4 * g + e]), inverse));
            if (4 * g + e < count && entries[4 * g + e].units > 2) sum = vaddq_s32(sum, q);
            const int32x4_t upper = vrshrq_n_s32(q, 7), rest = vsubq_s32(q, vshlq_n_s32(upper, 7));
            const int32x4_t place = vdupq_n_s32(8 * e);
            const uint32x4_t byte = vdupq_n_u32(0xff);
            high = vorrq_u32(high, vshlq_u32(vandq_u32(vreinterpretq_u32_s32(upper), byte), place));
            low = vorrq_u32(low, vshlq_u32(vandq_u32(vreinterpretq_u32_s32(rest), byte), place));
        }
        desk.v[r][quarter][g][0] = vreinterpretq_s8_u32(high), desk.v[r][quarter][g][1] = vreinterpretq_s8_u32(low);
    }
    desk.sum[r][quarter] = sum;
    desk.scale[r][quarter] = vmulq_n_f32(vdivq_f32(most, all), 1.f / 32);
}

/// Four inputs' rows, byte by byte beside each other: vector t has bytes 4 t .. 4 t + 3.
TW_INSIDE void interleave(const std::byte* const (&rows)[4], uint8x16_t (&x)[4]) {
    uint8x16_t row[4];
    for (int r = 0; r < 4; ++r) row[r] = vld1q_u8(reinterpret_cast<const std::uint8_t*>(rows[r]));
    const uint16x8_t t0 = vreinterpretq_u16_u8(vzip1q_u8(row[0], row[1])),
                     t1 = vreinterpretq_u16_u8(vzip2q_u8(row[0], row[1]));
    const uint16x8_t u0 = vreinterpretq_u16_u8(vzip1q_u8(row[2], row[3])),
                     u1 = vreinterpretq_u16_u8(vzip2q_u8(row[2], row[3]));
    x[0] = vreinterpretq_u8_u16(vzip1q_u16(t0, u0)), x[1] = vreinterpretq_u8_u16(vzip2q_u16(t0, u0));
    x[2] = vreinterpretq_u8_u16(vzip1q_u16(t1, u1)), x[3] = vreinterpretq_u8_u16(vzip2q_u16(t1, u1));
}

/// Puts the codes of four inputs together: of A and B first nibbles, those of k = 0 and 2 in one vector and those of k
/// = 1 and 3 in the other, as C has its own.
TW_INSIDE void put_together(const EntryRows* rows, std::int64_t half, int h, int quarter, int8x16_t (&codes)[columns]) {
    const std::int64_t at = 16 * quarter;
    const std::byte *a[4], *b[4], *c[2][4];
    for (int e = 0; e < 4; ++e) {
        a[e] = rows[e].a + h * half + at, b[e] = rows[e].b + h * half + at;
        c[0][e] = rows[e].c + 2 * h * half + at, c[1][e] = c[0][e] + half;
    }
    const uint8x16_t upper_two = vdupq_n_u8(0xcc), low = vdupq_n_u8(0x0f), sign = vdupq_n_u8(0x80);
    uint8x16_t x[4], y[4], upper[2][4];
    interleave(a, x), interleave(b, y);
    for (int t = 0; t < 4; ++t) {
        upper[0][t] = vbslq_u8(upper_two, vshlq_n_u8(x[t], 2), y[t]);
        upper[1][t] = vbslq_u8(upper_two, x[t], vshrq_n_u8(y[t], 2));
    }
    for (int o = 0; o < 2; ++o) {
        interleave(c[o], x);
        for (int t = 0; t < 4; ++t) {
            const uint8x16_t first = vbslq_u8(low, x[t], vshlq_n_u8(upper[o][t], 4));
            const uint8x16_t second = vbslq_u8(low, vshrq_n_u8(x[t], 4), upper[o][t]);
            codes[4 * o + t] = vreinterpretq_s8_u8(veorq_u8(first, sign));
            codes[8 + 4 * o + t] = vreinterpretq_s8_u8(veorq_u8(second, sign));
        }
    }
}

/// Multiplies `vectors` vectors from r on with `width` columns of a chunk.
template <int vectors, int width>
TW_INSIDE void multiply(Desk& desk, int r, int quarter, int h, int column) {
    int32x4_t high[vectors][width], low[vectors][width];
    for (int n = 0; n < vectors; ++n)
        for (int c = 0; c < width; ++c) high[n][c] = low[n][c] = vdupq_n_s32(0);
    for (int g = 0; g < groups; ++g)
#pragma GCC unroll 2
        for (int n = 0; n < vectors; ++n)
#pragma GCC unroll 8
            for (int c = 0; c < width; ++c) {
                high[n][c] = vdotq_s32(high[n][c], desk.codes[g][column + c], desk.v[r + n][quarter][g][0]);
                low[n][c] = vdotq_s32(low[n][c], desk.codes[g][column + c], desk.v[r + n][quarter][g][1]);
            }
    for (int n = 0; n < vectors; ++n)
        for (int c = 0; c < width; ++c) {
            const int k = (column + c) / 4, t = (column + c) % 4;
            float* to = desk.y[r + n][16 * h + 4 * t + k] + 4 * quarter;
            const int32x4_t whole =
                vaddq_s32(vaddq_s32(vshlq_n_s32(high[n][c], 8), vshlq_n_s32(low[n][c], 1)), desk.sum[r + n][quarter]);
            vst1q_f32(to, vaddq_f32(vld1q_f32(to), vmulq_f32(vcvtq_f32_s32(whole), desk.scale[r + n][quarter])));
        }
}

TW_INSIDE void multiply_all(Desk& desk, int vectors, int quarter, int h) {
    int r = 0;
    for (; r + 2 <= vectors; r += 2)
        for (int c = 0; c < columns; c += 4) multiply<2, 4>(desk, r, quarter, h, c);
    if (r < vectors)
        for (int c = 0; c < columns; c += 8) multiply<1, 8>(desk, r, quarter, h, c);
}

}  // namespace

void effort_planes_whole_neon(const EffortWholeTile& call) {
    const WholeTileRows tile(call);
    const std::int64_t half = 16 * call.width;
    Desk desk;
    std::memset(desk.y, 0, static_cast<std::size_t>(call.vectors) * sizeof desk.y[0]);
    for (std::int64_t from = 0; from < call.count; from += whole_chunk) {
        const std::int64_t rest = call.count - from;
        const int count = static_cast<int>(rest < whole_chunk ? rest : whole_chunk);
        const EffortEntry* const entries = call.entries + from;
        tile.find(entries, count, call.has_gaps, desk.rows), fill_up(desk.rows, count);
        for (int r = 0; r < call.vectors; ++r)
            for (int quarter = 0; quarter < call.width; ++quarter)
                round_chunk(entries + r * call.inputs, count, r, quarter, call.planes, desk);
        for (int h = 0; h < 2; ++h)
            for (int quarter = 0; quarter < call.width; ++quarter) {
                for (int g = 0; g < groups; ++g) put_together(desk.rows + 4 * g, half, h, quarter, desk.codes[g]);
                multiply_all(desk, call.vectors, quarter, h);
            }
    }
    for (int r = 0; r < call.vectors; ++r)
        for (int block = 0; block < 4 * call.width; ++block)
            for (int n = 0; n < 32; ++n) call.y[512 * r + 32 * block + n] = desk.y[r][n][block];
}

}  // namespace tw::cpu
