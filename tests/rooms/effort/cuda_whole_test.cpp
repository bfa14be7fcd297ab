// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Planes that are read to the end on a CUDA device, once for several vectors. Skipped where there is no device.
#include <cstring>
#include <limits>

#include "rooms/effort/on_cuda.hpp"

namespace tw::effort_tests {
namespace {

/// A matrix that is large enough: several tiles a block, tiles that blocks share, and vectors whose fours are not
/// aligned, one with very small numbers and one with very large ones.
TEST_F(EffortOnCuda, VectorsThatShareWhatIsReadHaveTheirBitsAlone) {
    constexpr std::int64_t outputs = 40003, inputs = 2201, most = 9;
    const Weights weights(outputs, inputs, Type::f16, 31, 0.02);
    const EffortMatrix m = build_effort(weights.matrix);
    std::vector<float> v = gauss(most * inputs, 32);
    for (std::size_t i = 0; i < inputs; ++i) v[inputs + i] *= 1e-30f, v[2 * inputs + i] *= 1e25f;
    std::vector<float> alone;
    for (std::int64_t row = 0; row < most; ++row) {
        const std::vector<float> one(v.begin() + row * inputs, v.begin() + (row + 1) * inputs);
        const Answer answer = product(m, one, Budget::effort(1), on_cuda);
        alone.insert(alone.end(), answer.y.begin(), answer.y.end());
        EXPECT_EQ(answer.report.bytes_read, m.bytes());
        if (row > 2) continue;
        EXPECT_LE(relative_error(answer.y, decoded_product(m, one, Budget::effort(1))), of_rounded_vectors) << row;
    }
    for (const std::int64_t rows : {2, 3, 4, 6, 9})
        for (int again = 0; again < 3; ++again) {
            const auto count = static_cast<std::size_t>(rows * outputs);
            std::vector<float> y(count, std::numeric_limits<float>::quiet_NaN());
            std::vector<EffortReport> reports(static_cast<std::size_t>(rows));
            ASSERT_TRUE(try_matvec_batch(m, {v.data(), rows, inputs}, {y.data(), rows, outputs}, Budget::effort(1),
                                         on_cuda, reports));
            EXPECT_EQ(0, std::memcmp(y.data(), alone.data(), count * sizeof(float))) << rows << " rows";
            for (const EffortReport& report : reports) EXPECT_EQ(report.bytes_read, m.bytes());
        }
}

}  // namespace
}  // namespace tw::effort_tests
