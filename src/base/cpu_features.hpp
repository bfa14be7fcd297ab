// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What this processor can do and the operating system allows: CPUID, XCR0 and, for AMX, the kernel's permission.
// Feature bits decide, never model numbers.
#pragma once

#include <cstdint>

namespace tw::cpu_feature {

inline constexpr std::uint64_t avx2 = 1 << 0;    // with FMA and F16C
inline constexpr std::uint64_t avx512 = 1 << 1;  // F, BW, DQ, VL
inline constexpr std::uint64_t avx512_bf16 = 1 << 2;
inline constexpr std::uint64_t avx512_vnni = 1 << 3;
inline constexpr std::uint64_t amx_bf16 = 1 << 4;  // tiles, and the permission to use them
inline constexpr std::uint64_t amx_int8 = 1 << 5;
inline constexpr std::uint64_t neon = 1 << 6;
inline constexpr std::uint64_t avx512_vbmi = 1 << 7;  // VBMI and VBMI2: bytes and words permuted, words expanded
inline constexpr std::uint64_t neon_dot = 1 << 8;     // sdot: four products of bytes onto a sum

}  // namespace tw::cpu_feature

namespace tw {

/// Detected once, less what TW_FEATURES masks off: "-avx512,-amx_bf16", or "none".
std::uint64_t cpu_features() noexcept;

/// As detected, before TW_FEATURES.
std::uint64_t cpu_features_unmasked() noexcept;

/// Why a feature is not used, as a sentence; "" when it is used.
const char* cpu_feature_refusal(std::uint64_t bit) noexcept;

}  // namespace tw
