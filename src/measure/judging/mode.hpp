// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A floating-point mode that no product may be computed in: rounded upwards, subnormals lost.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tw::judging {

class OddMode {
public:
#if defined(__x86_64__)
    explicit OddMode(bool is_wanted) noexcept : before_(_mm_getcsr()) {
        if (is_wanted) _mm_setcsr(odd);
        wanted_ = _mm_getcsr() & ~flags;
    }
    ~OddMode() { _mm_setcsr(before_); }
    bool is_as_it_was() const noexcept { return (_mm_getcsr() & ~flags) == wanted_; }

private:
    static constexpr unsigned odd = 0xdfc0, flags = 0x3f;  // flush to zero, subnormals are zeros, upwards, all masked
    unsigned before_, wanted_;
#else
    explicit OddMode(bool is_wanted) noexcept : before_(std::fegetround()) {
        if (is_wanted) std::fesetround(FE_UPWARD);
        wanted_ = std::fegetround();
    }
    ~OddMode() { std::fesetround(before_); }
    bool is_as_it_was() const noexcept { return std::fegetround() == wanted_; }

private:
    int before_, wanted_;
#endif
public:
    OddMode(const OddMode&) = delete;
    OddMode& operator=(const OddMode&) = delete;
};

}  // namespace tw::judging
