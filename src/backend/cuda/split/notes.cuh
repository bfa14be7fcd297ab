// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is noted of each row beside its parts, in one word: the power of two that takes the parts back (low half), and
// the row's doubt (high half, a float's upper 16 bits). fp16 has no bits below 2^-24, so that of elements which are
// small beside their row's largest a rest is lost. The doubt bounds what a sum of products may lose by that, over what
// it may lose: a sum of parts that is smaller than the doubts of its row and its column together is not trusted.
//
//    lost of a_ik, sum over k: L_i  ->  |lost of c_ij| <= L_i * 2^15 + 2^15 * L_j     all in scaled units
//    trusted:  |c_ij| >= (L_i + L_j) * 2^15 / tolerance = doubt_i + doubt_j           and |A||B| >= |c_ij|
//
// Rows in which a few elements are all that counts are doubted whatever comes of them: where C is a single product, one
// rounding is what a plain product loses, and parts lose more. So are rows that hold an Inf or a NaN.
// A row's note follows from the row alone: losses are whole numbers, and whoever adds them gets the same sum.
#pragma once

#include "backend/cuda/split/parts.cuh"

namespace tw::cuda {

__device__ inline int power_in(int note) { return static_cast<short>(note); }
__device__ inline float doubt_in(int note) { return __int_as_float(note & static_cast<int>(0xffff0000)); }

/// Losses are counted in these; the largest, 2^-25, is 16 of them.
inline constexpr float loss_unit = 0x1p-29f;
inline constexpr std::int64_t longest_row = std::int64_t{1} << 28;  // whose losses 32 bits can count

/// Of |A||B|: what a trusted sum may lose, in the schemes' split_loss.
inline constexpr float tolerance = 0x1p-22f;
/// Above this a scaled element's first part shows that it loses no more than the scheme says: 2^-22 of itself with two
/// parts, 2^-11 with one.
template <Parts parts>
inline constexpr float safe_part = parts == Parts::fp16x3 ? 0x1p-3f : 0x1p-14f;

/// Two magnitudes of fp16 in a word; those of all elements are folded into one such word.
__device__ inline __half2 magnitudes(unsigned two) {
    two &= 0x7fff7fffu;
    return *reinterpret_cast<const __half2*>(&two);
}
__device__ inline __half2 least_of(uint2 four) { return __hmin2(magnitudes(four.x), magnitudes(four.y)); }
__device__ inline __half2 largest_of(uint2 four) { return __hmax2(magnitudes(four.x), magnitudes(four.y)); }

/// Whether an element whose first part is one of these may lose something; zeros are taken for such.
template <Parts parts>
__device__ bool may_lose(__half2 least) {
    return parts != Parts::bf16x6 && !__hbgt2(least, __float2half2_rn(safe_part<parts>));
}
/// What cutting four neighbours loses, in units, each rounded up: an addition to 2^23 of them does that.
template <Parts parts>
__device__ unsigned lost(const float (&x)[4], int lift) {
    constexpr float many = loss_unit * 0x1p23f;
    unsigned units = 0;
    if constexpr (parts != Parts::bf16x6) {
#pragma unroll
        for (const float each : x) {
            const float lifted = scaled(each, lift);
            const __half first = __float2half_rn(lifted);
            float rest = lifted - __half2float(first);
            if constexpr (parts == Parts::fp16x3) rest -= __half2float(__float2half_rn(rest));
            if (fabsf(__half2float(first)) > safe_part<parts>) rest = 0;
            units += __float_as_uint(__fadd_ru(many, fabsf(rest))) - __float_as_uint(many);
            units += lifted == 0 && each != 0 ? 1 : 0;
        }
    }
    return units;
}

/// Whether an element with this first part is more than some 2^-24 of its row's largest. Which of 32 classes of k,
/// k / 4 % 32, have such an element tells whether they are few.
__device__ inline bool counts(float first) { return first >= 0x1p-10f; }
__device__ inline bool are_few(unsigned classes) { return classes != 0 && __popc(classes) < 4; }
/// Of a warp, of its lanes' largest elements.
__device__ inline unsigned classes_of_warp(unsigned own, int lift) {
    return __ballot_sync(~0u, counts(__half2float(__float2half_rn(scaled(__uint_as_float(own), lift)))));
}

/// Of what lies outside of C: it is never doubted, whatever it meets.
inline constexpr int note_of_nothing = static_cast<int>(0xff800000);

/// A note of a row that has lost nothing; then, of which classes those of its elements are that count; then, that it
/// has lost so many units.
inline constexpr int is_doubted = 0x7f800000;
__device__ inline int note_of(unsigned largest) {
    return (is_finite(largest) ? 0 : is_doubted) | (-lifting_exponent(largest) & 0xffff);
}
template <Parts parts>
__device__ int with_classes(int note, unsigned classes) {
    return parts == Parts::fp16x3 && are_few(classes) ? note | is_doubted : note;
}
__device__ inline int with_losses(int note, unsigned units) {
    constexpr float doubt_of_unit = loss_unit * 0x1p15f / tolerance;
    const unsigned doubt = __float_as_uint(__uint2float_ru(units) * doubt_of_unit) + 0xffffu;
    return note >= is_doubted ? note : note | static_cast<int>(doubt & 0xffff0000u);
}

}  // namespace tw::cuda
