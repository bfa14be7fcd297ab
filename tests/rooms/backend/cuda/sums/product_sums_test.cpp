// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The sums that tell a wrong product, through the table of calls: how many kernels they launch, and that whatever fails
// is said. What they add up is judged on a device.
#include "backend/cuda/sums/product_sums.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "backend/cuda/device/entry.hpp"
#include "rooms/backend/cuda/on_fake_runtime.hpp"

extern "C" const tw::ProductSums* tilewright_cuda_sums(unsigned long long stamp) noexcept;

namespace {

using namespace tw;

class ProductSumsOnFake : public test::OnFakeRuntime {
protected:
    static constexpr std::int64_t m = 40, n = 30, k = 50;
    const ProductSums& sums = *tilewright_cuda_sums(cuda::contract_stamp);
    std::vector<double> operands = std::vector<double>(3 * 2500);
    std::vector<std::byte> memory = std::vector<std::byte>(sums.bytes(m, k));

    SumsOf product(Type type, bool by_columns, double beta) {
        const auto at = [&](int which, std::int64_t rows, std::int64_t cols) {
            return Matrix{operands.data() + which * 2500, type, rows, cols, by_columns ? 1 : cols,
                          by_columns ? rows : 1};
        };
        return {at(0, m, k), at(1, k, n), at(2, m, n), 1, beta};
    }
    Status both(const SumsOf& p) {
        SumsOff found;
        const Status expected = sums.expect(p, memory, nullptr);
        return expected ? sums.compare(p, {}, memory, nullptr, found) : expected;
    }
};

TEST_F(ProductSumsOnFake, LaunchAsManyKernelsAsTheyPromise) {
    for (const Type type : {Type::f32, Type::f64, Type::f16, Type::bf16})
        for (const bool by_columns : {false, true}) {
            for (const auto& [beta, wanted] : {std::pair{0.0, 4}, {2.0, 6}}) {
                test::fail_call(0, cudaSuccess);
                ASSERT_TRUE(both(product(type, by_columns, beta)).is_ok());
                EXPECT_EQ(test::launches(), wanted) << name_of(type) << ", beta " << beta;
            }
        }
    EXPECT_EQ(sums.bytes(m, k), (4 * m + 2 * k + 2) * sizeof(double));
    EXPECT_EQ(tilewright_cuda_sums(cuda::contract_stamp + 1), nullptr);
}

TEST_F(ProductSumsOnFake, SayWhateverFails) {
    const SumsOf p = product(Type::f32, false, 2.0);
    ASSERT_TRUE(both(p).is_ok());
    const int calls = test::calls_made();
    EXPECT_GE(calls, 9) << "a memset, six kernels, a copy and a wait";
    int ignored = 0;  // the question which device is current: it may be asked again
    for (int failing = 1; failing <= calls; ++failing) {
        test::fail_call(failing, cudaErrorMemoryAllocation);
        const Status status = both(p);
        ignored += status && test::calls_made() >= failing;
        cuda::revive();
    }
    EXPECT_LE(ignored, 1);
}

}  // namespace
