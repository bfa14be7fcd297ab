// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tw {

/// Between two looks at what another thread is to write.
inline void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace tw
