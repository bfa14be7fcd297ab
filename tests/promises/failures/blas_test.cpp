// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rule 27 behind BLAS's door, which has no status: a product that memory is refused for is made another way.
#include <gtest/gtest.h>

#include <vector>

#include "blas/product.hpp"
#include "refusals.hpp"

namespace {

/// Products that keep all threads busy are made one by one, one alone for certain: what is refused is then told of the
/// first of them, and that one is to be made, too.
TEST(Failures, Rule27_ABatchOfBlasIsRightWhateverIsRefused) {
    constexpr int n = 200, square = n * n;
    const std::vector<float> a(square, 1), b(square, 2);
    for (const int size : {1, 3}) {
        int refused = 0;
        for (int i = 0, made = 1; i < made; ++i, ++refused) {
            std::vector<float> c(static_cast<std::size_t>(square * size), 5);
            made = tw::test::refuse_request(i, [&] {
                tw::blas::multiply(erase(tw::View(a.data(), n, n)), erase(tw::View(b.data(), n, n)),
                                   erase(tw::View(c.data(), n, n)), 1, 3, tw::Batch{.size = size, .c_step = square});
            });
            EXPECT_EQ(c, std::vector<float>(c.size(), 2 * n + 15)) << size << " products, request " << i;
            ASSERT_LT(i, 1000) << "it asks without end";
        }
        EXPECT_GT(refused, 1) << "there was no request to refuse";
    }
}

}  // namespace
