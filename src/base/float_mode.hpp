// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 13 and 14: whatever rounding and flushing mode the caller runs in, products are computed in the IEEE default,
// and the caller's mode is back when the call returns.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tw {

class IeeeMode {
public:
#if defined(__x86_64__)
    // Writing MXCSR serializes floating-point work, so it is written only when its value has to change.
    IeeeMode() noexcept : callers_(_mm_getcsr()) {
        if (is_other()) _mm_setcsr(ieee);
    }
    ~IeeeMode() {
        if (is_other()) _mm_setcsr(callers_);
    }
    IeeeMode(const IeeeMode&) = delete;
    IeeeMode& operator=(const IeeeMode&) = delete;

private:
    static constexpr unsigned ieee = 0x1f80;  // every exception masked, round to nearest even, subnormals kept
    static constexpr unsigned flags = 0x3f;   // exceptions that have occurred: not part of the mode

    bool is_other() const noexcept { return (callers_ & ~flags) != ieee; }
    unsigned callers_;
#elif defined(__aarch64__)
    IeeeMode() noexcept {
        asm volatile("mrs %0, fpcr" : "=r"(callers_));
        asm volatile("msr fpcr, %0" ::"r"(0UL));
    }
    ~IeeeMode() { asm volatile("msr fpcr, %0" ::"r"(callers_)); }
    IeeeMode(const IeeeMode&) = delete;
    IeeeMode& operator=(const IeeeMode&) = delete;

private:
    unsigned long callers_;
#endif
};

}  // namespace tw
