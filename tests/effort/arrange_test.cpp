// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows as a GPU wants them hold what the layout holds, and zeros where the last tile is filled up.
#include <gtest/gtest.h>

#include <cstring>

#include "effort/arrange.hpp"
#include "effort/layout_planes.hpp"
#include "samples.hpp"

namespace tw::effort_tests {
namespace {

std::vector<std::byte> arranged(const EffortBody& body, std::int64_t tile) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(effort::arranged_tile_bytes(body)));
    effort::arrange_tile(body, 0, tile, bytes.data());
    return bytes;
}

std::size_t count_of_set(std::span<const std::byte> bytes) {
    std::size_t count = 0;
    for (const std::byte byte : bytes) count += byte != std::byte{};
    return count;
}

TEST(RowsForAGpu, HoldEveryByteOfEveryLayout) {
    const Weights weights(700, 37, Type::f16, 1);
    for (const EffortLayout layout : every_layout)
        for (const int bucket : {8, 16, 32}) {
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
            std::size_t set = 0;
            for (std::int64_t t = 0; t < effort::tiling_of(*m.body()).tiles; ++t) set += count_of_set(arranged(*m.body(), t));
            EXPECT_EQ(set, count_of_set(m.body()->rows.bytes())) << name_of(layout) << ' ' << bucket;
        }
}

/// Word (h, t, q) of an arranged row of A is word (h, q, t) of the layout's; of C it is so in each half.
TEST(RowsForAGpu, PlanesHaveTheWordsOfAQuarterFourApart) {
    for (const std::int64_t outputs : {512, 300}) {
        const Weights weights(outputs, 5, Type::f32, 2);
        const EffortMatrix m = build_effort(weights.matrix, {});
        const effort::PlanesTile own{5, effort::PlanesTile::quarters_for(outputs)}, whole{5, 4};
        const std::vector<std::byte> to = arranged(*m.body(), 0);
        const std::byte* from = m.body()->rows.data();
        for (std::int64_t i = 0; i < 5; ++i)
            for (std::int64_t h = 0; h < 2; ++h)
                for (std::int64_t t = 0; t < 4; ++t)
                    for (std::int64_t q = 0; q < own.quarters; ++q) {
                        const std::int64_t in_a = own.b_at() + i * 32 * own.quarters + 4 * (4 * own.quarters * h + 4 * q + t);
                        EXPECT_EQ(0, std::memcmp(to.data() + whole.b_at() + i * 128 + 4 * (16 * h + 4 * t + q), from + in_a, 4));
                        for (std::int64_t odd = 0; odd < 2; ++odd) {
                            const std::int64_t in_c = own.c_at() + i * 64 * own.quarters + 4 * (8 * own.quarters * h + 4 * own.quarters * odd + 4 * q + t);
                            EXPECT_EQ(0, std::memcmp(to.data() + whole.c_at() + i * 256 + 4 * (32 * odd + 16 * h + 4 * t + q), from + in_c, 4));
                        }
                    }
    }
}

TEST(RowsForAGpu, TheDenseCopyHasWholeRows) {
    const Weights weights(300, 9, Type::f32, 3);
    const EffortMatrix m = build_effort(weights.matrix, {.dense = DenseCopy::kept});
    std::vector<float> to(static_cast<std::size_t>(effort::arranged_dense_tile_bytes(*m.body())) / 4);
    effort::arrange_dense_tile(*m.body(), 0, 1, reinterpret_cast<std::byte*>(to.data()));
    for (std::size_t i = 0; i < 9; ++i)
        for (std::size_t o = 0; o < 256; ++o)
            EXPECT_EQ(to[256 * i + o], o < 44 ? *static_cast<const float*>(weights.matrix.at(static_cast<std::int64_t>(256 + o), static_cast<std::int64_t>(i))) : 0.f);
}

}  // namespace
}  // namespace tw::effort_tests
