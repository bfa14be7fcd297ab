// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

namespace tw {

/// The nearest f32, as an f64. Written as two casts, g++ 12 drops the rounding at -O2 and above where two such values
/// are stored side by side: its vectorizer takes the pair of conversions for a copy (docs/adr/0003). So the f32 passes
/// through a register that the optimizer can't look into.
inline double rounded_to_f32(double x) noexcept {
    auto narrow = static_cast<float>(x);
#if defined(__GNUC__)
    asm("" : "+g"(narrow));
#endif
    return static_cast<double>(narrow);
}

}  // namespace tw
