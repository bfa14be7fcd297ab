// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One tile of the layouts that keep values, and of the dense copy, by each set's kernels that run here: the product to
// the bit, for tiles of every width, and nothing written beside the outputs.
#include <bit>

#include "formats/buckets.hpp"
#include "formats/tiers.hpp"
#include "rooms/backend/cpu/effort/sets.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;
using namespace tw::effort_kernels;

/// Small whole numbers, so that every sum is exact in any order.
TEST(EffortKernels, TheDenseCopyIsMultipliedForUpToEightVectors) {
    Drawn drawn(3);
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
        for (const std::int64_t inputs : {1, 7, 40})
            for (int width = 16; width <= 256; width += 16)
                for (int vectors = 1; vectors <= most_dense_vectors; ++vectors) {
                    if (!test::has_its_turn(7)) continue;
                    const std::int64_t v_step = inputs + 3;
                    const test::GuardedMatrix rows(type, inputs, width);
                    std::vector<float> v(static_cast<std::size_t>(v_step * vectors), NAN);
                    for (std::int64_t i = 0; i < inputs; ++i) {
                        for (int o = 0; o < width; ++o) store_element(rows, i, o, drawn.sized(0, 9));
                        for (int r = 0; r < vectors; ++r)
                            v[static_cast<std::size_t>(r * v_step + i)] = static_cast<float>(drawn.sized(0, 9));
                    }
                    for (const Set& set : sets_here()) {
                        SCOPED_TRACE(testing::Message() << set.name << ", " << name_of(type) << ", " << inputs
                                                        << " inputs, width " << width << ", " << vectors);
                        Sums y(256 * vectors);
                        set.dense({static_cast<const std::byte*>(rows.matrix().data), inputs, width, type, v.data(),
                                   v_step, vectors, y.data()});
                        for (int r = 0; r < vectors; ++r)
                            for (int o = 0; o < width; ++o) {
                                double sum = 0;
                                for (std::int64_t i = 0; i < inputs; ++i)
                                    sum += static_cast<double>(v[static_cast<std::size_t>(r * v_step + i)]) *
                                           load_element(rows, i, o);
                                ASSERT_EQ(static_cast<double>(y.data()[256 * r + o]), sum) << r << ' ' << o;
                            }
                        y.expect_nothing_beside();
                    }
                }
}

/// A permutation of the positions of a bucket.
std::vector<int> positions(int count, Drawn& drawn) {
    std::vector<int> all(static_cast<std::size_t>(count));
    for (int p = 0; p < count; ++p) {
        const int at = drawn.below(p + 1);
        all[static_cast<std::size_t>(p)] = all[static_cast<std::size_t>(at)], all[static_cast<std::size_t>(at)] = p;
    }
    return all;
}

void expect_sums(const Set& set, void (*kernel)(const EffortTile&), EffortTile tile,
                 const std::vector<double>& wanted) {
    SCOPED_TRACE(testing::Message() << set.name << ", width " << tile.width << ", bucket " << tile.bucket << ", "
                                    << tile.count << " of " << tile.inputs << ", " << name_of(tile.type)
                                    << (tile.masking ? ", masking" : ""));
    Sums y(most_outputs_of_tile);
    tile.y = y.data();
    kernel(tile);
    for (std::size_t o = 0; o < wanted.size(); ++o) ASSERT_EQ(static_cast<double>(y.data()[o]), wanted[o]) << o;
    y.expect_nothing_beside();
}

TEST(EffortKernels, BucketsAreMultipliedToTheRanksOfEachEntry) {
    Drawn drawn(4);
    constexpr std::int64_t inputs = 23;
    for (const int bucket : {8, 16, 32})
        for (int width = 1; width <= effort::BucketsTile::most_buckets; width += 1 + width / 6)
            for (const bool masking : {false, true})
                for (const double share : {0., .6, 1.}) {
                    const effort::BucketsTile lie{inputs, width, bucket};
                    const test::GuardedPages pages(static_cast<std::size_t>(lie.bytes()));
                    const std::vector<EffortEntry> entries = drawn.entries(inputs, bucket, share, true);
                    std::vector<double> wanted(static_cast<std::size_t>(bucket * width));
                    std::vector<const EffortEntry*> entry(inputs);
                    for (const EffortEntry& e : entries) entry[e.input] = &e;
                    for (std::int64_t i = 0; i < inputs; ++i)
                        for (int b = 0; b < width; ++b) {
                            const std::vector<int> at = positions(bucket, drawn);
                            for (int rank = 0; rank < bucket; ++rank) {
                                const int position = at[static_cast<std::size_t>(rank)];
                                const float16 value = half(drawn.sized(1, 8));
                                const auto word = static_cast<std::uint16_t>(value.bits | position);
                                std::memcpy(pages.bytes().data() + (bucket * i + rank) * 2 * width + 2 * b, &word, 2);
                                const EffortEntry* e = entry[static_cast<std::size_t>(i)];
                                if (e && static_cast<unsigned>(rank) < e->units)
                                    wanted[static_cast<std::size_t>(b * bucket + position)] +=
                                        static_cast<double>(e->v) *
                                        static_cast<double>(widen(masking ? value : float16{word}));
                            }
                        }
                    for (const Set& set : sets_here())
                        expect_sums(set, set.buckets,
                                    {.rows = pages.bytes().data(),
                                     .inputs = inputs,
                                     .width = width,
                                     .bucket = bucket,
                                     .masking = masking,
                                     .type = Type::f16,
                                     .entries = entries.data(),
                                     .count = static_cast<std::int64_t>(entries.size()),
                                     .y = nullptr},
                                    wanted);
                }
}

TEST(EffortKernels, TiersAreMultipliedToThoseOfEachEntry) {
    Drawn drawn(5);
    constexpr std::int64_t inputs = 23;
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
        for (int width = 2; width <= 32; width += 2)
            for (const double share : {0., .6, 1.}) {
                const auto size = static_cast<int>(size_of(type));
                const effort::TiersTile lie{inputs, width, size};
                const test::GuardedPages pages(static_cast<std::size_t>(lie.bytes()));
                const std::vector<EffortEntry> entries = drawn.entries(inputs, 4, share, true);
                std::vector<double> wanted(static_cast<std::size_t>(16 * width));
                std::vector<const EffortEntry*> entry(inputs);
                for (const EffortEntry& e : entries) entry[e.input] = &e;
                for (std::int64_t i = 0; i < inputs; ++i)
                    for (int b = 0; b < width; ++b) {
                        const std::vector<int> at = positions(16, drawn);
                        for (int u = 0; u < 4; ++u) {
                            std::byte* unit = pages.bytes().data() + (4 * i + u) * lie.unit_bytes();
                            unsigned mask = 0;
                            for (int r = 0; r < 4; ++r) mask |= 1u << at[static_cast<std::size_t>(4 * u + r)];
                            const auto word = static_cast<std::uint16_t>(mask);
                            std::memcpy(unit + 2 * b, &word, 2);
                            const Matrix values{unit + 2 * width + 4 * b * size, type, 1, 4, 4};
                            const EffortEntry* e = entry[static_cast<std::size_t>(i)];
                            for (int r = 0; r < 4; ++r, mask &= mask - 1) {
                                store_element(values, 0, r, drawn.sized(0, 9));
                                if (e && static_cast<unsigned>(u) < e->units)
                                    wanted[static_cast<std::size_t>(16 * b + std::countr_zero(mask))] +=
                                        static_cast<double>(e->v) * load_element(values, 0, r);
                            }
                        }
                    }
                for (const Set& set : sets_here())
                    expect_sums(set, set.tiers,
                                {.rows = pages.bytes().data(),
                                 .inputs = inputs,
                                 .width = width,
                                 .bucket = 16,
                                 .masking = false,
                                 .type = type,
                                 .entries = entries.data(),
                                 .count = static_cast<std::int64_t>(entries.size()),
                                 .y = nullptr},
                                wanted);
            }
}

}  // namespace
