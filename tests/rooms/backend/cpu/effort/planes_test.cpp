// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One tile of planes by each set's kernels that run here, against the words of kernels.hpp and of the layout, to the
// bit: bytes drawn at random, every number of units, tiles of every width, and nothing written beside the outputs.
#include <algorithm>
#include <span>

#include "formats/planes.hpp"
#include "rooms/backend/cpu/effort/sets.hpp"
#include "support/sanitized.hpp"

namespace {

using namespace tw;
using namespace tw::effort_kernels;
using effort::PlanesTile;

/// A tile of planes: any bytes, scales that are finite and not negative.
struct Planes {
    PlanesTile lie;
    test::GuardedPages pages;
    std::byte* rows;

    Planes(std::int64_t inputs, int quarters, int planes, Drawn& drawn)
        : lie{inputs, quarters, planes}, pages(static_cast<std::size_t>(lie.bytes())), rows(pages.bytes().data()) {
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
                lie.planes == 3 ? bits(*four, k < 2 ? 0 : 4, 15) : 0};
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
    /// Twice an output's code of so many units, less its middle.
    int twice(const EffortEntry& entry, int output) const {
        const Code f = code(entry.input, output);
        if (entry.units > 2) return 2 * (64 * f.a + 16 * f.b + f.c) - 255;
        return entry.units > 1 ? 2 * (64 * f.a + 16 * f.b) - 240 : 128 * f.a - 192;
    }
    /// kernels.hpp, of the entries of a vector: v d rounded up to `most`, so many entries at a time.
    void multiply(std::span<const EffortEntry> entries, std::size_t chunk, int most, std::vector<float>& y) const {
        for (std::size_t from = 0; from < entries.size(); from += chunk) {
            const int count = static_cast<int>(std::min<std::size_t>(chunk, entries.size() - from));
            for (int o = 0; o < 128 * lie.quarters; ++o) {
                float p[planes::chunk];
                const float step = rounded(&entries[from], count, o / 32, static_cast<float>(most), p);
                int sum = 0;
                for (int e = 0; e < count; ++e)
                    sum +=
                        static_cast<int>(std::nearbyint(p[e])) * twice(entries[from + static_cast<std::size_t>(e)], o);
                y[static_cast<std::size_t>(o)] += static_cast<float>(sum) * (step / 32);
            }
        }
    }
    /// The same of whole codes.
    void multiply_whole(std::span<const EffortEntry> entries, std::vector<float>& y) const {
        multiply(entries, planes::whole_chunk, lie.planes == 3 ? planes::whole_most : planes::whole_most_of_two, y);
    }
};

/// Every set's kernels give what the words say: rounded to 8 bits, or finely as whole codes.
void expect_the_words(const Planes& tile, const std::vector<EffortEntry>& entries) {
    const auto [inputs, width, planes] = tile.lie;
    const auto count = static_cast<std::int64_t>(entries.size());
    std::vector<float> wanted(static_cast<std::size_t>(128 * width)), finely = wanted;
    tile.multiply(entries, planes::chunk, 127, wanted), tile.multiply_whole(entries, finely);
    for (const Set& set : sets_here()) {
        SCOPED_TRACE(testing::Message() << set.name << ", " << count << " of " << inputs << " inputs, width " << width);
        Sums y(most_outputs_of_tile), whole(512);
        set.planes({.rows = tile.rows,
                    .inputs = inputs,
                    .width = width,
                    .bucket = 0,
                    .masking = false,
                    .type = Type::f32,
                    .entries = entries.data(),
                    .count = count,
                    .y = y.data()});
        set.whole({.rows = tile.rows,
                   .inputs = inputs,
                   .width = width,
                   .planes = planes,
                   .has_gaps = true,
                   .entries = entries.data(),
                   .count = count,
                   .vectors = 1,
                   .y = whole.data()});
        for (int o = 0; o < 128 * width; ++o) {
            ASSERT_EQ(y.data()[o], wanted[static_cast<std::size_t>(o)]) << o;
            ASSERT_EQ(whole.data()[o], finely[static_cast<std::size_t>(o)]) << o;
        }
        y.expect_nothing_beside(), whole.expect_nothing_beside();
    }
}

TEST(EffortKernels, PlanesAreMultipliedToTheUnitsOfEachEntry) {
    Drawn drawn(1);
    for (const std::int64_t inputs : {1, 127, 129, 300})
        for (const double share : {0., .5, 1.})
            for (int width = 1; width <= 4; ++width) {
                const Planes tile(inputs, width, 3, drawn);
                expect_the_words(tile, drawn.entries(inputs, 3, share, false));
                if (HasFatalFailure()) return;
            }
}

/// Where every code and every v d is the largest or the least there is, and of either sign, sums kept in 16 bits are
/// as large as they can be.
TEST(EffortKernels, PlanesOfTheLargestSumsAreMultiplied) {
    Drawn drawn(3);
    Planes tile(130, 2, 3, drawn);
    const float16 one = half(1);
    for (std::int64_t s = 0; s < 130 * 8; ++s) std::memcpy(tile.rows + 2 * s, &one, sizeof one);
    for (const int code : {0, 0xff, 0x0f, 0xf0})
        for (const std::uint32_t units : {1u, 2u, 3u, 4u})
            for (const float v : {1.f, -1.f, .5035f}) {
                std::fill(tile.pages.bytes().begin() + tile.lie.a_at(), tile.pages.bytes().end(),
                          static_cast<std::byte>(code));
                std::vector<EffortEntry> entries;
                for (std::uint32_t i = 0; i < 130; ++i)
                    entries.push_back({i, units == 4 ? 1 + i % 3 : units, i % 100 == 0 ? 1.f : v});
                expect_the_words(tile, entries);
                if (HasFatalFailure()) return;
            }
}

TEST(EffortKernels, WholePlanesAreMultipliedForUpToSixteenVectors) {
    Drawn drawn(2);
    for (const int planes : {3, 2})
        for (const std::int64_t inputs : {1, 63, 64, 129})
            for (int width = 1; width <= 4; ++width)
                for (const int vectors : {1, 2, 3, 5, 8, 16}) {
                    if (!test::has_its_turn(5)) continue;
                    const Planes tile(inputs, width, planes, drawn);
                    std::vector<EffortEntry> entries;
                    std::vector<std::vector<float>> wanted;
                    for (int r = 0; r < vectors; ++r)
                        for (std::int64_t i = 0; i < inputs; ++i)
                            entries.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(planes),
                                               r == 4 ? 0 : static_cast<float>(std::ldexp(drawn.normal(), r - 8))});
                    for (int r = 0; r < vectors; ++r) {
                        wanted.emplace_back(static_cast<std::size_t>(128 * width));
                        tile.multiply_whole({entries.data() + r * inputs, static_cast<std::size_t>(inputs)},
                                            wanted.back());
                    }
                    for (const Set& set : sets_here())
                        for (const bool saves_products : {false, true}) {
                            SCOPED_TRACE(testing::Message()
                                         << set.name << ", " << planes << " planes of " << inputs << " inputs, width "
                                         << width << ", " << vectors << (saves_products ? ", fewer products" : ""));
                            Sums y(512 * vectors);
                            set.whole({.rows = tile.rows,
                                       .inputs = inputs,
                                       .width = width,
                                       .planes = planes,
                                       .has_gaps = false,
                                       .entries = entries.data(),
                                       .count = inputs,
                                       .vectors = vectors,
                                       .y = y.data(),
                                       .saves_products = saves_products});
                            for (int r = 0; r < vectors; ++r)
                                for (int o = 0; o < 128 * width; ++o)
                                    ASSERT_EQ(y.data()[512 * r + o],
                                              wanted[static_cast<std::size_t>(r)][static_cast<std::size_t>(o)])
                                        << r << ' ' << o;
                            y.expect_nothing_beside();
                        }
                }
}

}  // namespace
