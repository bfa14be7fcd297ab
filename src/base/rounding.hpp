// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// f32 to the narrow types and back, by integer arithmetic: round to nearest, ties to even. There is no truncating form:
// g++ 12 compiles a conditional `bits & 0xffff0000` to nothing (docs/adr/0003).
#pragma once

#include <bit>
#include <cstdint>

#include "tilewright/types.hpp"

namespace tw {

constexpr float widen(bfloat16 x) noexcept { return std::bit_cast<float>(std::uint32_t{x.bits} << 16); }

constexpr bfloat16 to_bfloat16(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    if (nan)
        return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};  // quiet: the payload's low half may be all it had
    return {static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

/// 10 bits of mantissa kept in an f32, as a tensor core reads it.
constexpr float to_tf32(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
    if (!finite) return std::bit_cast<float>((bits & 0x7fffffffu) > 0x7f800000u ? bits | 0x400000u : bits);
    return std::bit_cast<float>((bits + 0xfffu + ((bits >> 13) & 1u)) & ~std::uint32_t{0x1fff});
}

constexpr float widen(float16 x) noexcept {
    const std::uint32_t sign = std::uint32_t{x.bits & 0x8000u} << 16;
    const std::uint32_t exponent = (x.bits >> 10) & 0x1fu, mantissa = x.bits & 0x3ffu;
    if (exponent == 0x1f)
        return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13) | (mantissa ? 0x400000u : 0u));
    if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;  // subnormal or zero: exact in f32
    return sign ? -magnitude : magnitude;
}

constexpr float16 to_float16(float x) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const auto with_sign = [sign](std::uint32_t low) { return float16{static_cast<std::uint16_t>(sign | low)}; };
    if (magnitude > 0x7f800000u) return with_sign(0x7e00u | ((magnitude >> 13) & 0x3ffu));
    if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);  // 65520 and up
    if (magnitude >= 0x38800000u) {                           // normal from 2^-14
        const std::uint32_t rebiased = magnitude - (112u << 23);
        return with_sign((rebiased + 0xfffu + ((rebiased >> 13) & 1u)) >> 13);
    }
    if (magnitude < 0x33000000u) return with_sign(0);  // below half of the least subnormal
    const std::uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
    const std::uint32_t shift = 126 - (magnitude >> 23);  // 14 to 24
    const std::uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    return with_sign(kept + (rest > half || (rest == half && (kept & 1u)) ? 1 : 0));
}

}  // namespace tw
