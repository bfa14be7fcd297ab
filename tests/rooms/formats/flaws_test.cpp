// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A scale that is no scale is found wherever it lies: in every expert, every tile and at both ends of each.
#include <gtest/gtest.h>

#include <cstring>

#include "formats/body.hpp"
#include "formats/planes.hpp"
#include "rooms/effort/samples.hpp"

namespace tw::effort_tests {
namespace {

TEST(PlanesFlaw, IsFoundInEveryTileOfEveryExpert) {
    constexpr std::int64_t outputs = 1200, inputs = 10, last_quarters = 2;
    const Weights first(outputs, inputs, Type::f32, 1), second(outputs, inputs, Type::f32, 2);
    const Matrix experts[] = {first.matrix, second.matrix};
    const EffortMatrix m = build_effort(experts);
    const EffortBody& body = *m.body();
    const effort::Tiling tiling = effort::tiling_of(body);
    ASSERT_EQ(tiling.tiles, 3);
    EXPECT_EQ(body.format->flaw(body).at, -1);
    for (int expert = 0; expert < 2; ++expert)
        for (std::int64_t tile = 0; tile < tiling.tiles; ++tile)
            for (const std::int64_t scale : {std::int64_t{0}, inputs * 4 * (tile < 2 ? 4 : last_quarters) - 1}) {
                const std::int64_t at = expert * tiling.bytes + tile * tiling.bytes_of_tile + 2 * scale;
                for (const int spoilt : {0x7c00, 0x7e00, 0x8001}) {
                    const auto bits = static_cast<std::uint16_t>(spoilt);
                    std::uint16_t good;
                    std::memcpy(&good, body.rows.data() + at, 2);
                    std::memcpy(body.rows.data() + at, &bits, 2);
                    EXPECT_EQ(body.format->flaw(body).at, at) << expert << ' ' << tile << ' ' << scale;
                    std::memcpy(body.rows.data() + at, &good, 2);
                }
            }
    EXPECT_EQ(body.format->flaw(body).at, -1);
}

}  // namespace
}  // namespace tw::effort_tests
