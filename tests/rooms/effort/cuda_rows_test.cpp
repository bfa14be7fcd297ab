// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Buckets and tiers on a CUDA device beside the CPU's.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <tuple>

#include "backend/contract.hpp"
#include "rooms/effort/on_cuda.hpp"

namespace tw::effort_tests {
namespace {

struct LayoutOfRows {
    EffortLayout layout;
    int bucket;
};
constexpr LayoutOfRows layouts_of_rows[] = {
    {EffortLayout::buckets, 8}, {EffortLayout::buckets, 16}, {EffortLayout::buckets, 32}, {EffortLayout::tiers, 16}};

/// Eight blocks choose, of more than 8192 inputs sixteen.
TEST_F(EffortOnCuda, RowsOfAnyNumberOfInputsAreChosenFromAlike) {
    constexpr double of_long_sums = 1e-5;  // of the same sign, of few outputs
    for (const auto& [layout, bucket] : layouts_of_rows)
        for (const std::int64_t inputs : {31, 255, 1030, 4100, 6001, 14336, 20000}) {
            SCOPED_TRACE(std::string(name_of(layout)) + ' ' + std::to_string(bucket) + ' ' + std::to_string(inputs));
            const Weights weights(20, inputs, Type::f16, 23);
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
            std::vector<float> v = gauss(inputs, 24);
            for (const double effort : {.01, .1, .5, .97})
                expect_alike(m, v, Budget::effort(effort), of_rounded_vectors, of_long_sums);
            for (const float few : {0.f, 1.f}) {  // nearly all rows, or those of one unit, are worth about the same
                std::fill(v.begin() + 1, v.end(), few);
                expect_alike(m, v, Budget::effort(.3), of_rounded_vectors, of_long_sums);
            }
        }
}

TEST_F(EffortOnCuda, RowsOfVectorsOfAnyMagnitudeAreChosenFromAlike) {
    for (const auto& [layout, bucket] : layouts_of_rows) {
        const Weights weights(20, 2500, Type::f16, 25);
        const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
        for (const float magnitude : {1e-30f, 1e-19f, 1e-17f, 1e17f, 1e19f, 1e25f}) {
            std::vector<float> v = gauss(2500, 26);
            for (float& x : v) x *= magnitude;
            for (const double effort : {.02, .3, .97}) expect_alike(m, v, Budget::effort(effort));
            std::fill(v.begin() + 300, v.end(), 0.f);
            for (const double effort : {.02, .3}) expect_alike(m, v, Budget::effort(effort));
        }
    }
}

/// More rows than a block lists at once.
TEST_F(EffortOnCuda, ManyRowsAreAddedUpInOneOrder) {
    for (const auto& [outputs, inputs, bucket] : {std::tuple{6100, 2800, 32}, {1030, 4096, 16}}) {
        const Weights weights(outputs, inputs, Type::f16, 27);
        const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::buckets, .bucket = bucket});
        const std::vector<float> v = gauss(inputs, 28);
        for (const double effort : {.3, .97, 1.}) {
            expect_alike(m, v, Budget::effort(effort));
            const Answer first = product(m, v, Budget::effort(effort), on_cuda);
            for (int again = test::is_thinned() ? 9 : 0; again < 10; ++again)
                ASSERT_EQ(0, std::memcmp(first.y.data(), product(m, v, Budget::effort(effort), on_cuda).y.data(),
                                         first.y.size() * sizeof(float)));
        }
    }
}

/// Sums of buckets are whole numbers of steps, which follow from the vector: beside an outlier nothing is lost that
/// matters.
TEST_F(EffortOnCuda, SumsOfBucketsAreRightBesideOutliers) {
    for (const bool truncating : {false, true}) {
        const Weights weights(1100, 3000, Type::f16, 33);
        const EffortMatrix m =
            build_effort(weights.matrix, {.layout = EffortLayout::buckets, .truncating = truncating});
        std::vector<float> v = gauss(3000, 35);
        for (const float outlier : {1e3f, -1e6f, 1e-6f}) {
            v[1234] = outlier;
            for (const double effort : {.1, .5, 1.}) expect_alike(m, v, Budget::effort(effort));
        }
        std::fill(v.begin(), v.end(), 0.f);
        for (const float y : product(m, v, Budget::effort(.5), on_cuda).y) EXPECT_EQ(y, 0.f);
    }
}

/// Of so many outputs a block has more inputs than threads.
TEST_F(EffortOnCuda, BucketsOfVeryManyOutputs) {
    const Weights weights(134200, 530, Type::f16, 36);
    const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::buckets});
    const std::vector<float> v = gauss(530, 37);
    for (const double effort : {.2, 1.}) expect_alike(m, v, Budget::effort(effort));
}

TEST_F(EffortOnCuda, WhatIsNotFiniteComesOutOfRowsAsNoNumber) {
    const Backend& backend = cuda::backend();
    const Weights weights(300, 200, Type::f16, 38);
    auto* far_v = static_cast<float*>(backend.alloc(800));
    auto* far_y = static_cast<float*>(backend.alloc(1200));
    ASSERT_TRUE(far_v && far_y);
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers}) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = layout});
        for (const float value : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
            for (const double effort : {.3, 1.}) {
                std::vector<float> v = gauss(200, 39), y(300);
                v[50] = value;
                EffortReport report;
                ASSERT_TRUE(backend.copy({far_v, Type::f32, 1, 200, 200}, {v.data(), Type::f32, 1, 200, 200}, nullptr));
                ASSERT_TRUE(try_matvec(m, {far_v, 200}, {far_y, 300}, Budget::effort(effort), on_cuda, report));
                ASSERT_TRUE(backend.copy({y.data(), Type::f32, 1, 300, 300}, {far_y, Type::f32, 1, 300, 300}, nullptr));
                ASSERT_TRUE(backend.wait(nullptr));
                for (const float x : y) EXPECT_NE(x, x);
            }
    }
    backend.free(far_v), backend.free(far_y);
}

TEST_F(EffortOnCuda, RowsOfExpertsAreTheSingleProducts) {
    const Weights first(300, 2100, Type::f16, 29), second(300, 2100, Type::f16, 30);
    const Matrix both[] = {first.matrix, second.matrix};
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers}) {
        const EffortMatrix m = build_effort(both, {.layout = layout});
        const std::vector<float> v = gauss(2100, 31);
        const std::vector<int> chosen = {1, 0, 0, 1, 1};
        std::vector<float> y(300 * 5), same(300 * 5);
        ASSERT_TRUE(
            try_matvec_experts(m, chosen, {v.data(), 1, 2100}, {y.data(), 5, 300}, Budget::effort(.3), on_cuda, {}));
        for (std::size_t p = 0; p < chosen.size(); ++p)
            ASSERT_TRUE(try_matvec_experts(m, {&chosen[p], 1}, {v.data(), 1, 2100}, {same.data() + 300 * p, 1, 300},
                                           Budget::effort(.3), on_cuda, {}));
        EXPECT_EQ(0, std::memcmp(y.data(), same.data(), y.size() * sizeof(float)));
    }
}

TEST_F(EffortOnCuda, BucketsOfEverySizeAndTruncatingOnes) {
    const Weights weights(600, 100, Type::f16, 5);
    const std::vector<float> v = gauss(100, 6);
    for (const int bucket : {8, 16, 32})
        for (const bool truncating : {false, true}) {
            const EffortMatrix m = build_effort(
                weights.matrix, {.layout = EffortLayout::buckets, .bucket = bucket, .truncating = truncating});
            expect_alike(m, v, Budget::effort(.4));
        }
}

}  // namespace
}  // namespace tw::effort_tests
