// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product whose kernel is left to choose() and to the TW_* variables; 0 when the result is right.
#include <vector>

#include "tilewright/multiply.hpp"

int main() {
    const std::vector<float> a(64 * 64, 1), b(64 * 64, 2);
    std::vector<float> c(64 * 64);
    tw::multiply(tw::View(a.data(), 64, 64), tw::View(b.data(), 64, 64), tw::View(c.data(), 64, 64));
    return c == std::vector<float>(64 * 64, 128) ? 0 : 1;
}
