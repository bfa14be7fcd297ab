// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Under which sanitizer a test was compiled: g++ says so by macros, clang by features. What takes a hundred times as
// long there does less.
#pragma once

#if defined(__has_feature)
#define TW_HAS_FEATURE(name) __has_feature(name)
#else
#define TW_HAS_FEATURE(name) 0
#endif

namespace tw::test {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool under_asan = true;
#else
inline constexpr bool under_asan = TW_HAS_FEATURE(address_sanitizer);
#endif
#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_tsan = true;
#else
inline constexpr bool under_tsan = TW_HAS_FEATURE(thread_sanitizer);
#endif
inline constexpr bool under_msan = TW_HAS_FEATURE(memory_sanitizer);

inline constexpr bool is_sanitized = under_asan || under_tsan || under_msan;

}  // namespace tw::test

#undef TW_HAS_FEATURE
