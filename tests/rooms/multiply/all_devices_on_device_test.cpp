// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product of host operands on all GPUs of this machine, where there are two: the bits of the first of them.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "tilewright/multiply.hpp"
#include "tilewright/tilewright.h"

namespace {

using namespace tw;

class AllDevicesOnDevice : public testing::Test {
protected:
    void SetUp() override {
        if (find_backend("cuda")->devices() < 2) GTEST_SKIP() << "there are not two CUDA devices on this machine";
    }
};

std::vector<float> numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> made(static_cast<std::size_t>(count));
    for (float& number : made) number = std::uniform_real_distribution<float>(-1, 1)(random);
    return made;
}

struct Product {
    std::int64_t m, n, k;
    bool b_by_columns = false;
    std::vector<float> a = numbers(m * k, 1), b = numbers(k * n, 2), bias = numbers(n, 3), residual = numbers(m * n, 4);

    std::vector<float> on(const char* device, Options options = {.reproducible = true}) {
        std::vector<float> c(static_cast<std::size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
        options.device = device;
        options.epilogue = {.bias = bias.data(), .bias_size = n, .activation = Activation::relu};
        options.epilogue.residual = {residual.data(), Type::f32, m, n, n};
        const Matrix right{b.data(), Type::f32, k, n, b_by_columns ? 1 : n, b_by_columns ? k : 1};
        const Status status =
            try_multiply({a.data(), Type::f32, m, k, k}, right, {c.data(), Type::f32, m, n, n}, options);
        EXPECT_TRUE(status) << status.text;
        return c;
    }
};

TEST_F(AllDevicesOnDevice, GiveTheBitsOfOne) {
    for (const auto& [m, n, k] : {std::tuple{300, 400, 70}, {4099, 2501, 1203}, {2501, 4099, 1203}, {700, 9000, 900}})
        for (const bool by_columns : {false, true}) {
            Product product{m, n, k, by_columns};
            const auto one = product.on("cuda:0");
            for (int times = 0; times < 3; ++times)
                EXPECT_EQ(product.on("cuda:*"), one) << m << 'x' << n << 'x' << k << ", again " << times;
            EXPECT_EQ(product.on("cuda:1"), one);
            EXPECT_EQ(product.on("cuda:*", {.reproducible = true, .verify = true}), one);
        }
}

TEST_F(AllDevicesOnDevice, AreNamedInCToo) {
    Product product{2600, 2300, 800};
    std::vector<float> one(2600 * 2300), all(one.size());
    tw_options options = tw_default_options();
    for (auto& [device, c] : {std::pair{"cuda:0", &one}, {"cuda:*", &all}}) {
        options.device = device;
        options.reproducible = 1;
        const tw_matrix a{product.a.data(), TW_F32, 2600, 800, 800, 1}, b{product.b.data(), TW_F32, 800, 2300, 2300, 1},
            to{c->data(), TW_F32, 2600, 2300, 2300, 1};
        EXPECT_EQ(tw_multiply(&a, &b, &to, &options), TW_OK) << tw_last_error();
    }
    EXPECT_EQ(all, one);
}

}  // namespace
