// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Under which sanitizer a test was compiled: g++ says so by macros, clang by features. What takes a hundred times as
// long there does less. So does what compute-sanitizer watches, which looks at every access to memory and gets each
// kernel ready for that.
#pragma once

#include <cstdlib>

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

/// tools/cuda_sanitized asks for it.
inline bool is_thinned() {
    static const bool asked = std::getenv("TW_TESTS_THINNED") != nullptr;
    return asked;
}

/// Of cases that run the same code some are enough where each access is looked at: false for all but every `of`th.
inline bool has_its_turn(int of) {
    static int asked = 0;
    return !(is_sanitized || is_thinned()) || asked++ % of == 0;
}

}  // namespace tw::test

#undef TW_HAS_FEATURE
