// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One tile by each set's kernels that run here, against the words of kernels.hpp and of the layouts, to the bit: bytes
// drawn at random, every number of units, tiles of every width, and nothing written beside the outputs.
#include "backend/cpu/effort/kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "backend/cpu/backend.hpp"
#include "base/cpu_features.hpp"
#include "base/element.hpp"
#include "formats/buckets.hpp"
#include "formats/planes.hpp"
#include "formats/tiers.hpp"
#include "reference/random.hpp"
#include "support/guarded_matrix.hpp"

namespace {

using namespace tw;
using namespace tw::cpu;
using effort::PlanesTile;

struct Set {
    const char* name;
    void (*dense)(const EffortDenseTile&);
    void (*buckets)(const EffortTile&);
    void (*tiers)(const EffortTile&);
    void (*planes)(const EffortTile&);
    void (*whole)(const EffortWholeTile&);
};

std::vector<Set> sets_here() {
    std::vector<Set> sets{{"portable", effort_dense_portable, effort_buckets_portable, effort_tiers_portable,
                           effort_planes_portable, effort_planes_whole_portable}};
    [[maybe_unused]] const auto has = [](Features needs) { return (needs & ~cpu_features()) == 0; };
#if defined(__x86_64__)
    if (has(cpu_feature::avx2))
        sets.push_back({"avx2", effort_dense_avx2, effort_buckets_avx2, effort_tiers_avx2, effort_planes_avx2,
                        effort_planes_whole_avx2});
    if (has(cpu_feature::avx512 | cpu_feature::avx512_vnni | cpu_feature::avx512_vbmi))
        sets.push_back({"avx512", effort_dense_avx512, effort_buckets_avx512, effort_tiers_avx512,
                        effort_planes_avx512, effort_planes_whole_avx512});
#endif
#if defined(__aarch64__)
    if (has(cpu_feature::neon | cpu_feature::neon_dot))
        sets.push_back({"neon", effort_dense_portable, effort_buckets_portable, effort_tiers_portable,
                        effort_planes_portable, effort_planes_whole_neon});
#endif
    return sets;
}

/// Room for what a kernel may write, padding included, between numbers that must stay: NaN until it is written.
class Sums {
public:
    explicit Sums(std::int64_t count) : all_(static_cast<std::size_t>(count + 2 * beside), 12345.f) {
        first_ = all_.data() + beside;
        while (reinterpret_cast<std::uintptr_t>(first_) % 64 != 0) --first_;
        for (std::int64_t o = 0; o < count; ++o) first_[o] = NAN;
        count_ = count;
    }
    float* data() { return first_; }
    void expect_nothing_beside() const {
        for (const float& y : all_) {
            if (&y >= first_ && &y < first_ + count_) continue;
            ASSERT_EQ(y, 12345.f) << &y - first_ << " of " << count_;
        }
    }

private:
    static constexpr std::int64_t beside = 4096;
    std::vector<float> all_;
    float* first_;
    std::int64_t count_;
};

/// Drawn from seed to seed, so that a mistake shows whichever entry it is in.
struct Drawn : reference::Random {
    using Random::Random;
    int below(int count) { return static_cast<int>(whole(0, count - 1)); }
    int sized(int least, int most) { return static_cast<int>(sign()) * static_cast<int>(whole(least, most)); }
    /// Some inputs in order, each with 1..units of its units.
    std::vector<EffortEntry> entries(std::int64_t inputs, int units, double share, bool small) {
        std::vector<EffortEntry> drawn;
        for (std::int64_t i = 0; i < inputs; ++i)
            if (unit() < share)
                drawn.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(1 + below(units)),
                                 small ? static_cast<float>(sized(1, 4)) : static_cast<float>(normal())});
        return drawn;
    }
};

float16 half(double value) {
    float16 h;
    store_element({&h, Type::f16, 1, 1, 1}, 0, 0, value);
    return h;
}

/// A tile of planes: any bytes, scales that are finite and not negative.
struct Planes {
    PlanesTile lie;
    test::GuardedPages pages;
    std::byte* rows;

    Planes(std::int64_t inputs, int quarters, int planes, Drawn& drawn)
        : lie{inputs, quarters, planes},
          pages(static_cast<std::size_t>(lie.bytes())),
          rows(pages.bytes().data()) {
        for (std::byte& b : pages.bytes()) b = static_cast<std::byte>(drawn.below(256));
        for (std::int64_t s = 0; s < inputs * 4 * quarters; ++s) {
            const float16 scale = half(drawn.below(9) == 0 ? 0 : std::exp(drawn.normal()));
            std::memcpy(rows + 2 * s, &scale, sizeof scale);
        }
    }
    float scale(std::int64_t input, int block) const {
        float16 d;
        std::memcpy(&d, rows + 8 * lie.quarters * input + 2 * block, sizeof d);
        return widen(d);
    }
    struct Code {
        int a, b, c;
    };
    Code code(std::int64_t input, int output) const {
        const int block = output / 32, q = block / 4, j = block % 4, n = output % 32, h = n / 16, t = n / 4 % 4,
                  k = n % 4, width = lie.quarters;
        const std::byte* two = rows + 32 * width * input + 16 * width * h + 16 * q + 4 * t + j;
        const auto bits = [](std::byte b, int shift, int mask) { return std::to_integer<int>(b) >> shift & mask; };
        const std::byte* four =
            rows + lie.c_at() + 64 * width * input + 32 * width * h + 16 * width * (k & 1) + 16 * q + 4 * t + j;
        return {bits(two[lie.a_at()], 2 * k, 3), bits(two[lie.b_at()], 2 * k, 3),
                lie.planes == 3 ? bits(*four, k < 2 ? 0 : 4, 15) : 8};
    }
    /// v d of so many entries, rounded to whole numbers up to `most`.
    float rounded(const EffortEntry* entries, int count, int block, float most, float* p) const {
        float largest = 0;
        for (int e = 0; e < count; ++e) {
            p[e] = entries[e].v * scale(entries[e].input, block);
            largest = std::max(largest, std::fabs(p[e]));
        }
        for (int e = 0; e < count; ++e) p[e] *= largest >= planes::least ? most / largest : 0;
        return largest / most;
    }
    /// kernels.hpp, for outputs that are read to some units of each entry.
    void multiply(const std::vector<EffortEntry>& entries, bool fine, std::vector<float>& y) const {
        constexpr int offsets[] = {192, 240, 255};
        for (std::size_t from = 0; from < entries.size(); from += planes::chunk) {
            const int count = static_cast<int>(std::min<std::size_t>(planes::chunk, entries.size() - from));
            for (int o = 0; o < 128 * lie.quarters; ++o) {
                float p[planes::chunk];
                const float step = rounded(&entries[from], count, o / 32, 127, p);
                int high_sum = 0, low_sum = 0;
                for (int e = 0; e < count; ++e) {
                    const auto units = entries[from + static_cast<std::size_t>(e)].units;
                    const Code f = code(entries[from + static_cast<std::size_t>(e)].input, o);
                    const float high = std::nearbyint(p[e]), low = std::nearbyint((p[e] - high) * 128);
                    const int coarse = 2 * (64 * f.a + (units > 1 ? 16 * f.b : 0)) - offsets[units > 1];
                    const int all = units > 2 ? 2 * (64 * f.a + 16 * f.b + f.c) - offsets[2] : coarse;
                    high_sum += static_cast<int>(high) * all, low_sum += static_cast<int>(low) * coarse;
                }
                const float sum = static_cast<float>(high_sum) + (fine ? static_cast<float>(low_sum) / 128 : 0);
                y[static_cast<std::size_t>(o)] += sum * (step / 32);
            }
        }
    }
    /// The same of whole codes: one entry for each input.
    void multiply_whole(const EffortEntry* entries, std::vector<float>& y) const {
        const auto most = static_cast<float>(lie.planes == 3 ? planes::whole_most : planes::whole_most_of_two);
        for (std::int64_t from = 0; from < lie.inputs; from += planes::whole_chunk) {
            const int count = static_cast<int>(std::min<std::int64_t>(planes::whole_chunk, lie.inputs - from));
            for (int o = 0; o < 128 * lie.quarters; ++o) {
                float p[planes::whole_chunk];
                const float step = rounded(entries + from, count, o / 32, most, p);
                int sum = 0;
                for (int e = 0; e < count; ++e) {
                    const Code f = code(from + e, o);
                    sum += static_cast<int>(std::nearbyint(p[e])) *
                           (2 * (64 * f.a + 16 * f.b + f.c) - (lie.planes == 3 ? 255 : 256));
                }
                y[static_cast<std::size_t>(o)] += static_cast<float>(sum) * (step / 32);
            }
        }
    }
};

TEST(EffortKernels, PlanesAreMultipliedToTheUnitsOfEachEntry) {
    Drawn drawn(1);
    for (const std::int64_t inputs : {1, 127, 129, 300})
        for (const double share : {0., .5, 1.})
            for (int width = 1; width <= 4; ++width)
                for (const bool fine : {false, true}) {
                    const Planes tile(inputs, width, 3, drawn);
                    const std::vector<EffortEntry> entries = drawn.entries(inputs, 3, share, false);
                    std::vector<float> wanted(static_cast<std::size_t>(128 * width));
                    tile.multiply(entries, fine, wanted);
                    for (const Set& set : sets_here()) {
                        SCOPED_TRACE(testing::Message() << set.name << ", " << entries.size() << " of " << inputs
                                                        << " inputs, width " << width << ", fine " << fine);
                        Sums y(most_outputs_of_tile);
                        set.planes({.rows = tile.rows,
                                    .inputs = inputs,
                                    .width = width,
                                    .bucket = 0,
                                    .masking = false,
                                    .fine = fine,
                                    .type = Type::f32,
                                    .entries = entries.data(),
                                    .count = static_cast<std::int64_t>(entries.size()),
                                    .y = y.data()});
                        for (int o = 0; o < 128 * width; ++o)
                            ASSERT_EQ(y.data()[o], wanted[static_cast<std::size_t>(o)]) << o;
                        y.expect_nothing_beside();
                    }
                }
}

TEST(EffortKernels, WholePlanesAreMultipliedForUpToSixteenVectors) {
    Drawn drawn(2);
    for (const int planes : {3, 2})
        for (const std::int64_t inputs : {1, 63, 64, 129})
            for (int width = 1; width <= 4; ++width)
                for (const int vectors : {1, 2, 3, 5, 8, 16}) {
                    const Planes tile(inputs, width, planes, drawn);
                    std::vector<EffortEntry> entries;
                    std::vector<std::vector<float>> wanted;
                    for (int r = 0; r < vectors; ++r)
                        for (std::int64_t i = 0; i < inputs; ++i)
                            entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(planes),
                                               r == 4 ? 0 : static_cast<float>(std::ldexp(drawn.normal(), r - 8))});
                    for (int r = 0; r < vectors; ++r) {
                        wanted.emplace_back(static_cast<std::size_t>(128 * width));
                        tile.multiply_whole(entries.data() + r * inputs, wanted.back());
                    }
                    for (const Set& set : sets_here()) {
                        SCOPED_TRACE(testing::Message() << set.name << ", " << planes << " planes of " << inputs
                                                        << " inputs, width " << width << ", " << vectors);
                        Sums y(512 * vectors);
                        set.whole({.rows = tile.rows,
                                   .inputs = inputs,
                                   .width = width,
                                   .planes = planes,
                                   .entries = entries.data(),
                                   .vectors = vectors,
                                   .y = y.data()});
                        for (int r = 0; r < vectors; ++r)
                            for (int o = 0; o < 128 * width; ++o)
                                ASSERT_EQ(y.data()[512 * r + o],
                                          wanted[static_cast<std::size_t>(r)][static_cast<std::size_t>(o)])
                                    << r << ' ' << o;
                        y.expect_nothing_beside();
                    }
                }
}

/// Small whole numbers, so that every sum is exact in any order.
TEST(EffortKernels, TheDenseCopyIsMultipliedForUpToEightVectors) {
    Drawn drawn(3);
    for (const Type type : {Type::f32, Type::f16, Type::bf16})
        for (const std::int64_t inputs : {1, 7, 40})
            for (int width = 16; width <= 256; width += 16)
                for (int vectors = 1; vectors <= most_dense_vectors; ++vectors) {
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

void expect_sums(const Set& set, void (*kernel)(const EffortTile&), EffortTile tile, const std::vector<double>& wanted) {
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
                                     .fine = false,
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
                                 .fine = false,
                                 .type = type,
                                 .entries = entries.data(),
                                 .count = static_cast<std::int64_t>(entries.size()),
                                 .y = nullptr},
                                wanted);
            }
}

}  // namespace
