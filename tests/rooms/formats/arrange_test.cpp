// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The rows as a GPU wants them hold what the layout holds, and zeros where the last tile is filled up.
#include <gtest/gtest.h>

#include <cstring>

#include "base/element.hpp"
#include "formats/arrange.hpp"
#include "formats/buckets.hpp"
#include "formats/on_device.hpp"
#include "formats/planes.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

std::vector<std::byte> arranged(const EffortBody& body, std::int64_t tile) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(body.format->device_tile_bytes(body)));
    effort::arrange_tile(body, 0, tile, bytes.data());
    return bytes;
}

std::size_t count_of_set(std::span<const std::byte> bytes) {
    std::size_t count = 0;
    for (const std::byte byte : bytes) count += byte != std::byte{};
    return count;
}

TEST(RowsForAGpu, HoldEveryByteOfBuckets) {
    const Weights weights(1700, 37, Type::f16, 1);
    for (const EffortLayout layout : {EffortLayout::planes, EffortLayout::buckets})
        for (const int bucket : {8, 16, 32}) {
            const EffortMatrix m = build_effort(weights.matrix, {.layout = layout, .bucket = bucket});
            std::size_t set = 0;
            const std::int64_t of_tile = m.body()->format->device_outputs(*m.body());
            for (std::int64_t t = 0; t * of_tile < weights.matrix.rows; ++t)
                set += count_of_set(arranged(*m.body(), t));
            if (layout == EffortLayout::planes) EXPECT_GE(set, 1700u * 37);  // scales are held in another way
            else EXPECT_EQ(set, count_of_set(m.body()->rows.bytes())) << name_of(layout) << ' ' << bucket;
        }
}

/// The word of any bucket and unit where the kernel looks for it.
TEST(RowsForAGpu, ATileOfBucketsHas1024Outputs) {
    constexpr std::int64_t outputs = 1700, inputs = 5;
    const Weights weights(outputs, inputs, Type::f16, 4);
    for (const int bucket : {8, 16, 32}) {
        const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::buckets, .bucket = bucket});
        const auto tiling = effort::tiling_of(*m.body());
        for (std::int64_t b = 0; b < (outputs + bucket - 1) / bucket; ++b) {
            const std::int64_t output = b * bucket, t = output / tiling.outputs_of_tile,
                               left = outputs - t * tiling.outputs_of_tile;
            const std::int64_t width = effort::BucketsTile::buckets_for(left, bucket),
                               column = (output - t * tiling.outputs_of_tile) / bucket;
            const std::vector<std::byte> to = arranged(*m.body(), output / 1024);
            const std::byte* from = m.body()->rows.data() + t * tiling.bytes_of_tile;
            for (std::int64_t row = 0; row < inputs * bucket; ++row)
                ASSERT_EQ(0, std::memcmp(to.data() + 2 * (1024 / bucket * row + output % 1024 / bucket),
                                         from + 2 * (width * row + column), 2));
        }
    }
}

/// Whoever puts the values at the positions has the matrix again.
TEST(RowsForAGpu, ATileOfTiersHasPositionsForMasks) {
    constexpr std::int64_t outputs = 1700, inputs = 5;
    for (const Type type : {Type::f16, Type::f32}) {
        const Weights weights(outputs, inputs, type, 5);
        const EffortMatrix m = build_effort(weights.matrix, {.layout = EffortLayout::tiers});
        const auto size = static_cast<std::int64_t>(size_of(type)), unit_bytes = 64 * (2 + 4 * size);
        std::vector<std::byte> again(static_cast<std::size_t>(outputs * size));
        for (std::int64_t input = 0; input < inputs; ++input) {
            for (std::int64_t b = 0; 16 * b < outputs; ++b)
                for (std::int64_t tier = 0; tier < 4; ++tier) {
                    const std::vector<std::byte> to = arranged(*m.body(), b / 64);
                    const std::byte* unit = to.data() + (4 * input + tier) * unit_bytes;
                    std::uint16_t positions;
                    std::memcpy(&positions, unit + 2 * (b % 64), 2);
                    for (std::int64_t x = 0; x < 4; ++x)
                        if (const std::int64_t output = 16 * b + (positions >> 4 * x & 15); output < outputs)
                            std::memcpy(again.data() + output * size, unit + 128 + (4 * (b % 64) + x) * size,
                                        static_cast<std::size_t>(size));
                }
            for (std::int64_t output = 0; output < outputs; ++output)
                ASSERT_EQ(0, std::memcmp(again.data() + output * size, weights.matrix.at(output, input),
                                         static_cast<std::size_t>(size)));
        }
    }
}

/// Half a tile stands alone; its word (h, t, odd, q) of a row of C is word (h, odd, q, t) of the layout's, of A and B
/// without odd.
TEST(RowsForAGpu, AHalfOfATileOfPlanesHasItsQuartersBesideEachOther) {
    constexpr std::int64_t inputs = 131, padded = 256, front = 8192 + 128 + 2048, at_b = 2 * front,
                           at_c = at_b + 64 * padded;
    ASSERT_EQ(effort::on_device::Planes::padded(inputs), padded);
    for (const std::int64_t outputs : {512, 300}) {
        const Weights weights(outputs, inputs, Type::f32, 2);
        const EffortMatrix m = build_effort(weights.matrix, {});
        const effort::PlanesTile own{inputs, effort::PlanesTile::quarters_for(outputs)};
        const std::byte* from = m.body()->rows.data();
        for (std::int64_t tile = 0; tile < 2; ++tile) {
            const std::vector<std::byte> to = arranged(*m.body(), tile);
            ASSERT_EQ(to.size(), static_cast<std::size_t>(at_c + 128 * padded));
            const auto expect_same = [&](std::int64_t at, std::int64_t in_layout) {
                ASSERT_EQ(0, std::memcmp(to.data() + at, from + in_layout, 4)) << at;
            };
            for (std::int64_t i = 0; i < inputs; ++i)
                for (std::int64_t q = 0; q < 2 && 2 * tile + q < own.quarters; ++q) {
                    const std::int64_t width = own.quarters, of = 2 * tile + q, chunk = i / 128,
                                       at_a = chunk * front + 64 * (i % 128);
                    for (std::int64_t block = 0; block < 4; ++block) {
                        float step;
                        float16 level, scale;
                        std::memcpy(&step, to.data() + chunk * front + 8192 + 4 * (4 * q + block), 4);
                        std::memcpy(&level,
                                    to.data() + chunk * front + 8192 + 128 + 16 * (i % 128) + 2 * (4 * q + block), 2);
                        std::memcpy(&scale, from + 8 * width * i + 2 * (4 * of + block), 2);
                        EXPECT_EQ(widen(level) * step, widen(scale));
                        EXPECT_LE(widen(level), 1.f);
                    }
                    for (std::int64_t h = 0; h < 2; ++h)
                        for (std::int64_t t = 0; t < 4; ++t) {
                            const std::int64_t word = 8 * (4 * h + t) + 4 * q, in_row = 4 * (4 * (width * h + of) + t);
                            expect_same(at_a + (word ^ 16 * (i & 2)), own.a_at() + 32 * width * i + in_row);
                            expect_same(at_b + 64 * i + word, own.b_at() + 32 * width * i + in_row);
                            for (std::int64_t odd = 0; odd < 2; ++odd)
                                expect_same(at_c + 128 * i + 16 * (4 * h + t) + 8 * odd + 4 * q,
                                            own.c_at() + 64 * width * i + 4 * (4 * (width * (2 * h + odd) + of) + t));
                        }
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
            EXPECT_EQ(to[256 * i + o], o < 44 ? *static_cast<const float*>(weights.matrix.at(
                                                    static_cast<std::int64_t>(256 + o), static_cast<std::int64_t>(i)))
                                              : 0.f);
}

}  // namespace
}  // namespace tw::effort_tests
