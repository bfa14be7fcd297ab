// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Somebody else's program: it knows the public headers, and how to link.
#include <cstdio>
#include <cstring>

#include "tilewright/tilewright.hpp"

int main() {
    const float a[] = {1, 2, 3, 4, 5, 6}, b[] = {7, 8, 9, 10, 11, 12};
    float c[4] = {};
    tw::multiply(tw::View(a, 2, 3), tw::View(b, 3, 2), tw::View(c, 2, 2));
    std::printf("tilewright %s: %g %g %g %g\n", tw::version(), c[0], c[1], c[2], c[3]);
#ifdef LIBRARY_IS_BUILT_WITHOUT_NDEBUG
    float both[6] = {1, 2, 3, 4, 5, 6};
    const tw::Status refused =
        tw::try_multiply(tw::View<const float>(both, 2, 2), tw::View(b, 2, 2), tw::View(both + 2, 2, 2));
    if (refused || refused.argument != tw::Argument::c) return 2;  // rule 20
#endif
    const float right[] = {58, 64, 139, 154};
    return std::memcmp(c, right, sizeof c) == 0 && std::strcmp(tw::version(), EXPECTED_VERSION) == 0 ? 0 : 1;
}
