// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// cuBLAS as another process calls it and as this one does, by a library of three loops in host memory.
#include "measure/peers/cublas.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdlib>
#include <vector>

#include "measure/peers/cublas_here.hpp"
#include "measure/peers/library.hpp"

namespace tw::measure {
namespace {

class FakeCublas : public testing::Test {
protected:
    void SetUp() override {
#if defined(__APPLE__)
        GTEST_SKIP() << "the cuBLAS of three loops has a Linux library's name and symbols";
#endif
        setenv("TW_PEER_CUBLAS", FAKE_CUBLAS, 1);
    }
    void TearDown() override { unsetenv("TW_PEER_CUBLAS"); }
};

template <class T>
void expect_product(const std::function<bool(const Matrix&, const Matrix&, const Matrix&)>& multiply) {
    ASSERT_TRUE(multiply);
    constexpr std::int64_t m = 2, n = 5, k = 3, pitch = 7;
    std::vector<T> a(m * pitch), b(k * pitch), c(m * pitch, T(-1));
    for (std::int64_t i = 0; i < m * pitch; ++i) a[static_cast<std::size_t>(i)] = T(static_cast<float>(i % 5 - 2));
    for (std::int64_t i = 0; i < k * pitch; ++i) b[static_cast<std::size_t>(i)] = T(static_cast<float>(i % 4 + 1));
    ASSERT_TRUE(multiply({a.data(), type_of<T>, m, k, pitch}, {b.data(), type_of<T>, k, n, pitch},
                         {c.data(), type_of<T>, m, n, pitch}));
    for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < pitch; ++j) {
            T sum = 0;
            for (std::int64_t p = 0; p < k; ++p)
                sum += a[static_cast<std::size_t>(i * pitch + p)] * b[static_cast<std::size_t>(p * pitch + j)];
            EXPECT_EQ(c[static_cast<std::size_t>(i * pitch + j)], j < n ? sum : T(-1)) << i << " " << j;
        }
}

TEST_F(FakeCublas, InAProcessOfItsOwnMultipliesRowsAndLacksWhatItHasNot) {
    const PeerLibrary library = open_peer(*find_peer_kind("cublas"), 1);
    EXPECT_EQ(library.trouble, "");
    EXPECT_EQ(library.version, "13.1.0");
    EXPECT_EQ(library.core_type, "its own choice");
    EXPECT_EQ(library.found_by, "TW_PEER_CUBLAS");
    expect_product<float>(library.f32);
    expect_product<double>(library.f64);
    expect_product<std::complex<float>>(library.c64);
    EXPECT_FALSE(library.c128) << "it has no cublasZgemm_v2";
}

TEST_F(FakeCublas, OfTheHeuristicsAlgorithmsThoseAreChoicesThatWorkInTheWorkspace) {
    std::string trouble;
    std::vector<std::byte> workspace(4096);
    const auto cublas = CublasHere::open(nullptr, workspace.data(), workspace.size(), trouble);
    ASSERT_TRUE(cublas) << trouble;
    EXPECT_EQ(cublas->version(), "13.1.0");
    EXPECT_EQ(cublas->file(), FAKE_CUBLAS);
    constexpr void** no_lists[3] = {nullptr, nullptr, nullptr};
    alignas(256) float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4] = {};
    const auto square = [](float* data) { return Matrix{data, Type::f32, 2, 2, 2}; };
    const Batch one{.size = 1};
    const CublasProduct product = cublas_product(square(a), square(b), square(c), one, no_lists, false, 0, fp32);
    // Of its four one does not exist, one wants more than the workspace, and the last takes all of it.
    const auto choices = cublas->choices(product, 8);
    ASSERT_EQ(choices.size(), 2u);
    for (const auto& choice : choices) {
        c[0] = c[3] = 0;
        EXPECT_TRUE(choice.multiply(product));
        EXPECT_EQ(c[0], 19);
        EXPECT_EQ(c[3], 50);
    }
    EXPECT_EQ(cublas->choices(product, 1).size(), 1u);
    c[0] = c[3] = 0;
    EXPECT_TRUE(cublas->multiply(product));
    EXPECT_EQ(c[0], 19);
    EXPECT_EQ(c[3], 50);
}

}  // namespace
}  // namespace tw::measure
