// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
// c++ -std=c++20 multiply.cpp -ltilewright
#include <iostream>
#include <tilewright/tilewright.hpp>
#include <vector>

int main() {
    const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 0, 1, 1, 1}, bias{10, 20};
    std::vector<float> c(4);
    const tw::View left(a.data(), 2, 3), right(b.data(), 3, 2);
    const tw::View product(c.data(), 2, 2);
    tw::multiply(left, right, product, {.accuracy = tw::fp32, .verify = true, .epilogue = tw::bias_relu(bias)});
    std::cout << product(0, 0) << ' ' << product(0, 1) << '\n' << product(1, 0) << ' ' << product(1, 1) << '\n';
    try {
        tw::multiply(left, left, product);
    } catch (const tw::Error& error) {
        std::cout << error.what() << '\n';
    }
}
