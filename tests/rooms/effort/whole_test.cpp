// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes read to the end: their codes are put together once for all vectors, and a row of a batch has the bits of the
// row alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "backend/effort_contract.hpp"
#include "plan/registry.hpp"
#include "rooms/effort/decoded_planes.hpp"

namespace tw::effort_tests {
namespace {

/// The sets of kernels that run here.
std::vector<std::string> sets_with_planes() {
    std::vector<std::string> sets;
    const Backend& cpu = *find_backend("cpu");
    for (const EffortKernel* row : cpu.effort)
        if (row->puts_together && (row->needs & ~cpu.features()) == 0) sets.push_back(row->kernels);
    return sets;
}

std::vector<float> rows_of(std::int64_t vectors, std::int64_t inputs) {
    std::vector<float> v = gauss(vectors * inputs, 5);
    for (std::int64_t r = 0; r < vectors; ++r)  // rows of every size, and one of zeros
        for (std::int64_t i = 0; i < inputs; ++i)
            v[static_cast<std::size_t>(r * inputs + i)] *=
                r == 5 ? 0.f : std::ldexp(1.f, static_cast<int>(7 * r % 40) - 20);
    return v;
}

class WholePlanes : public testing::TestWithParam<int> {};  ///< planes that are kept
INSTANTIATE_TEST_SUITE_P(Kept, WholePlanes, testing::Values(3, 2));

TEST_P(WholePlanes, ARowOfABatchHasTheBitsOfTheRowAloneInEverySet) {
    const std::vector<std::string> sets = sets_with_planes();
    ASSERT_FALSE(sets.empty());
    struct Shape {
        std::int64_t outputs, inputs;
    };
    for (const Shape shape : {Shape{1, 1}, {100, 63}, {200, 64}, {300, 65}, {700, 257}}) {
        const Weights weights(shape.outputs, shape.inputs, Type::f32, 3);
        const EffortMatrix m = build_effort(weights.matrix, {.planes = GetParam()});
        constexpr std::int64_t most = 37;
        const std::vector<float> v = rows_of(most, shape.inputs);
        std::vector<std::vector<float>> alone;
        for (std::int64_t r = 0; r < most; ++r) {
            const std::vector<float> own(v.begin() + r * shape.inputs, v.begin() + (r + 1) * shape.inputs);
            alone.push_back(product(m, own, Budget::effort(1), {.kernels = "portable"}).y);
        }
        for (const std::string& set : sets)
            for (const std::int64_t vectors : {1, 2, 3, 4, 7, 16, 37})
                for (const int threads : {1, 3}) {
                    std::vector<float> y(static_cast<std::size_t>(vectors * shape.outputs), NAN);
                    ASSERT_TRUE(try_matvec_batch(m, {v.data(), vectors, shape.inputs},
                                                 {y.data(), vectors, shape.outputs}, Budget::effort(1),
                                                 {.threads = threads, .kernels = set}, {}));
                    for (std::int64_t r = 0; r < vectors; ++r)
                        EXPECT_EQ(0,
                                  std::memcmp(y.data() + r * shape.outputs, alone[static_cast<std::size_t>(r)].data(),
                                              static_cast<std::size_t>(shape.outputs) * sizeof(float)))
                            << set << ' ' << shape.outputs << " x " << shape.inputs << ", row " << r << " of "
                            << vectors;
                }
    }
}

TEST_P(WholePlanes, TheyAreWhatTheirCodesSay) {
    const double rounding = GetParam() == 3 ? 1e-4 : .02;  // of v d, to 15 bits or 8
    for (const std::int64_t inputs : {1, 64, 700}) {
        const Weights weights(600, inputs, Type::f32, 7);
        const EffortMatrix m = build_effort(weights.matrix, {.planes = GetParam()});
        for (const std::vector<float>& v : {gauss(inputs, 8), gated(inputs, 9)}) {
            const std::vector<double> codes = decoded_product(m, v, Budget::effort(1));
            for (const std::string& set : sets_with_planes())
                EXPECT_LE(relative_error(product(m, v, Budget::effort(1), {.kernels = set}).y, codes), rounding)
                    << set << ' ' << inputs;
        }
    }
}

/// Experts are chosen one by one: neighbours with the same one are done together, others are not.
TEST_P(WholePlanes, ChosenExpertsHaveTheirOwnWeights) {
    const Weights first(130, 90, Type::f32, 1), second(130, 90, Type::f32, 2);
    const Matrix experts[] = {first.matrix, second.matrix};
    const EffortMatrix both = build_effort(experts, {.planes = GetParam()});
    const int chosen[] = {1, 1, 0, 1, 0, 0, 0, 1};
    const std::vector<float> v = rows_of(8, 90);
    std::vector<float> y(8 * 130);
    ASSERT_TRUE(try_matvec_experts(both, chosen, {v.data(), 8, 90}, {y.data(), 8, 130}, Budget::effort(1), {}, {}));
    for (int r = 0; r < 8; ++r) {
        const int own[] = {chosen[r]};
        std::vector<float> alone(130);
        ASSERT_TRUE(try_matvec_experts(both, own, {v.data() + 90 * r, 1, 90}, {alone.data(), 1, 130}, Budget::effort(1),
                                       {}, {}));
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), y.begin() + 130 * r)) << r;
        const std::vector<float> row(v.begin() + 90 * r, v.begin() + 90 * (r + 1));
        EXPECT_LE(relative_error(alone, exact(experts[chosen[r]], row)), GetParam() == 3 ? .02 : .15) << r;
    }
}

}  // namespace
}  // namespace tw::effort_tests
