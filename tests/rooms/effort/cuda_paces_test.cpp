// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Which products are given to the dense copy on a CUDA device: decisions from paces, no times.
#include "effort/cuda_paces.hpp"

#include <gtest/gtest.h>

namespace tw::effort {
namespace {

EffortBody body_of(EffortLayout layout, std::int64_t outputs, std::int64_t inputs, Type type = Type::f16) {
    EffortBody body;
    body.format = format_of(layout), body.bucket = 16, body.type = type;
    body.outputs = outputs, body.inputs = inputs;
    return body;
}

Asked share_of(const EffortBody& body, double share, int products = 1, bool of_one_matrix = true) {
    return {static_cast<std::int64_t>(share * static_cast<double>(bytes_of_all(body))), products, of_one_matrix};
}

constexpr Paces simple = {{{5, 0, .5}, {0, 0, .25}, {10, 1, .5}}, {2, 0, .25}};

TEST(CudaPaces, AreAddedUpForWhatIsRead) {
    const EffortBody planes = body_of(EffortLayout::planes, 4096, 4096);  // dense: 2 + 33.55 / 4 = 10.4
    EXPECT_TRUE(dense_is_quicker(planes, {0, 1, true}, simple));          // 10 + 4.1
    const EffortBody buckets = body_of(EffortLayout::buckets, 4096, 4096);
    EXPECT_FALSE(dense_is_quicker(buckets, {10'700'000, 1, true}, simple));  // 5 + 5.35
    EXPECT_TRUE(dense_is_quicker(buckets, {10'900'000, 1, true}, simple));   // 5 + 5.45
    EXPECT_FALSE(
        dense_is_quicker(body_of(EffortLayout::buckets, 4096, 4096, Type::f32), {10'900'000, 1, true}, simple));
    EXPECT_FALSE(dense_is_quicker(body_of(EffortLayout::tiers, 16, 16), {100, 1, true}, simple));
}

TEST(CudaPaces, ABatchReadsItsDenseCopyOnceForFourVectorsAndExpertsEachTheirOwn) {
    const EffortBody buckets = body_of(EffortLayout::buckets, 4096, 4096);
    const std::int64_t bytes = 5'000'000;  // 5 + 2.5 for each
    EXPECT_FALSE(dense_is_quicker(buckets, {bytes, 1, true}, simple));
    EXPECT_TRUE(dense_is_quicker(buckets, {bytes, 3, true}, simple));    // 12.5 beside 10.4
    EXPECT_FALSE(dense_is_quicker(buckets, {bytes, 3, false}, simple));  // beside 27.2
    EXPECT_FALSE(dense_is_quicker(buckets, {bytes, 5, true}, simple));   // 17.5 beside two reads, 18.8
}

/// A small network's layers begin longer than they read, at any effort; of large ones it pays to read a tenth, where
/// choosing takes no longer.
TEST(CudaPaces, OfAnH200GiveSmallMatricesToTheDenseCopyAndLargeOnesToTheDial) {
    const std::int64_t small[][2] = {{1152, 384}, {384, 384}, {1536, 384}, {384, 1536}, {1024, 1024}};
    for (const EffortLayout layout : {EffortLayout::buckets, EffortLayout::tiers, EffortLayout::planes}) {
        for (const auto& [outputs, inputs] : small)
            for (const double share : {.01, .25, .9}) {
                const EffortBody body = body_of(layout, outputs, inputs);
                EXPECT_TRUE(dense_is_quicker(body, share_of(body, share), paces_on_h200))
                    << outputs << " x " << inputs << ", " << share;
            }
        const EffortBody large = body_of(layout, 14336, 4096);
        EXPECT_FALSE(dense_is_quicker(large, share_of(large, .1), paces_on_h200)) << name_of(layout);
        bool was_dense = false;
        for (double share = .05; share < 1; share += .05) {
            const bool is_dense = dense_is_quicker(large, share_of(large, share), paces_on_h200);
            EXPECT_TRUE(is_dense || !was_dense) << share;
            was_dense = is_dense;
        }
    }
    const EffortBody planes = body_of(EffortLayout::planes, 4096, 14336);
    EXPECT_FALSE(dense_is_quicker(planes, share_of(planes, .9), paces_on_h200));
}

}  // namespace
}  // namespace tw::effort
