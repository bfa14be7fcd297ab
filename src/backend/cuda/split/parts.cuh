// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The arithmetic of splitting: exponents, scaling, parts.
#pragma once

#include "backend/cuda/split/split.hpp"

namespace tw::cuda {

/// 2^e for e in [-126, 127].
__device__ inline float power_of_two(int e) { return __int_as_float((e + 127) << 23); }

/// x * 2^e in two exact steps; e in [-252, 254].
__device__ inline float scaled(float x, int e) { return x * power_of_two(e >> 1) * power_of_two(e - (e >> 1)); }

/// The bits of |x|: they order as the magnitudes do, and a NaN is above an Inf is above every number.
__device__ inline unsigned magnitude_bits(float x) { return __float_as_uint(x) & 0x7fffffffu; }

/// The power that brings a row whose largest magnitude has these bits into [2^14, 2^15); of a row of zeros, 0. A row
/// that isn't finite has parts of 0.
__device__ inline int lifting_exponent(unsigned largest) {
    if (largest >= 0x7f800000u || largest == 0) return 0;
    const int exponent = largest >= 0x00800000u ? static_cast<int>(largest >> 23) - 127 : -118 - __clz(largest);
    return 14 - exponent;
}
__device__ inline bool is_finite(unsigned largest) { return largest < 0x7f800000u; }

/// The parts of four neighbours, ready to be stored as 8 bytes each.
template <Parts parts>
__device__ void cut(const float (&x)[4], int lift, bool finite, uint2 (&out)[layout_of(parts).parts]) {
    std::uint16_t bits[layout_of(parts).parts][4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float rest = finite ? scaled(x[i], lift) : 0;
#pragma unroll
        for (int p = 0; p < layout_of(parts).parts; ++p) {
            if constexpr (parts == Parts::bf16x6) {
                const __nv_bfloat16 part = __float2bfloat16_rn(rest);
                bits[p][i] = __bfloat16_as_ushort(part);
                rest -= __bfloat162float(part);
            } else {
                const __half part = __float2half_rn(rest);
                bits[p][i] = __half_as_ushort(part);
                rest -= __half2float(part);
            }
        }
    }
#pragma unroll
    for (int p = 0; p < layout_of(parts).parts; ++p)
        out[p] = {bits[p][0] | static_cast<unsigned>(bits[p][1]) << 16, bits[p][2] | static_cast<unsigned>(bits[p][3])
                                                                                         << 16};
}

/// Where element k of part 0 of a row lies; further parts follow `depth` elements apart.
template <Parts parts>
__device__ std::int64_t place_of_part(std::int64_t k) {
    constexpr PartsLayout layout = layout_of(parts);
    return k / layout.depth * layout.width() + k % layout.depth;
}

/// Returns the four parts that hold most.
template <Parts parts>
__device__ uint2 store_parts(std::uint16_t* row, std::int64_t k, const float (&x)[4], int lift, bool finite) {
    constexpr PartsLayout layout = layout_of(parts);
    uint2 out[layout.parts];
    cut<parts>(x, lift, finite, out);
    std::uint16_t* to = row + place_of_part<parts>(k);
#pragma unroll
    for (int p = 0; p < layout.parts; ++p) *reinterpret_cast<uint2*>(to + p * layout.depth) = out[p];
    return out[0];
}

}  // namespace tw::cuda
