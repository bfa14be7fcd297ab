// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
// Weights that are used again and again are packed once; many small products are one call.
// c++ -std=c++20 weights.cpp -ltilewright
#include <iostream>
#include <tilewright/tilewright.hpp>
#include <vector>

int main() {
    std::vector<float> x(8 * 256, 1), weights(256 * 512, 0.5f), y(8 * 512);
    const tw::View X(x.data(), 8, 256), W(weights.data(), 256, 512), Y(y.data(), 8, 512);
    const tw::Packed packed = tw::pack(W);
    for (int step = 0; step < 3; ++step) tw::multiply(X, packed, Y);
    std::cout << "one of the packed product: " << Y(7, 511) << '\n';

    constexpr int count = 100, n = 16;
    std::vector<float> a(count * n * n, 2), b(n * n, 3), c(count * n * n);
    const tw::Batch batch{.size = count, .a_step = n * n, .b_step = 0, .c_step = n * n};  // one B for all of them
    tw::multiply_batch(tw::View(a.data(), n, n), tw::View(b.data(), n, n), tw::View(c.data(), n, n), batch);
    std::cout << "one of the last of the batch: " << c.back() << '\n';
}
