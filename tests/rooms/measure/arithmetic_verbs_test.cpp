// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The verbs that reckon: what they say is what is counted, and what the seeds' arithmetic gives.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "rooms/measure/say.hpp"

namespace tw::measure {
namespace {

TEST(ReckoningVerbs, RooflineDoesTheSeedsArithmeticForAnyChip) {
    const Said said = say("roofline --peak 19500 --bandwidth 1600");
    EXPECT_EQ(said.code, 0) << said.text;
    for (const char* line :
         {"r1, r2        0.25               400  reading", "tile_16              4              6400  reading",
          "tile_32              8             12800  reading", "19500  arithmetic"})
        EXPECT_NE(said.text.find(line), std::string::npos) << line << "\n" << said.text;
    EXPECT_NE(say("roofline --peak 256x1.296x16 --bandwidth 200").text.find("A chip of 5308.416 GFLOP/s"),
              std::string::npos);
    EXPECT_NE(say("roofline --peak 10 --bandwidth 1 --type f64").text.find("S / 8 flop a byte of f64"),
              std::string::npos);
}

/// The number before `after`, in the first line of `text` that begins with `row`; 0 when there is none.
double figure_of(const std::string& text, const std::string& row, const std::string& after) {
    const std::size_t line = text.find("\n" + row), end = text.find(after, line + 1);
    if (line == std::string::npos || end == std::string::npos) return 0;
    return std::atof(text.substr(text.rfind(' ', end - 1) + 1).c_str());
}

TEST(ReckoningVerbs, ExplainReckonsWhatTheExecutorCounts) {
    for (const auto& [asked, row] : {std::pair("naive", "metal-check.r1_naive.f32"),
                                     {"coalescing", "metal-check.r2_coalesced.f32"},
                                     {"tile_16", "metal-check.r3_tiled.f32 tile 16"},
                                     {"tile_32", "metal-check.r3_tiled.f32 tile 32"},
                                     {"tile_threads", "metal-check.r5_register_block.f32"},
                                     {"tile_simdgroup", "metal-check.r8_matrix_unit.f32"}}) {
        const Said counted = say("ladder --device metal-check --size 64 --seconds 0.05 --rung " + std::string(asked));
        if (counted.code == 2) GTEST_SKIP() << counted.text;
        const std::string table = counted.text.substr(counted.text.find("flop per"));
        const double reckoned = figure_of(say("explain --shape 64 " + std::string(asked)).text, row, " flop/byte");
        const double found = figure_of(table, row, "\n");
        EXPECT_NEAR(reckoned / found, 1, 0.02) << row << ": " << reckoned << " and " << found;
    }
}

TEST(ReckoningVerbs, LadderShowsTilesAsRowsAndHoldsOneThreadAgainstOne) {
    const Said both = say("ladder --device cpu --size 48 --seconds 0.2 --threads 2 --no-peers --rung tiled --rung r6");
    EXPECT_EQ(both.code, 0) << both.text;
    EXPECT_NE(both.text.find("2 threads (up to r3: 1, and held against one)"), std::string::npos) << both.text;
    const Said one = say("ladder --device cpu --size 48 --seconds 0.1 --no-peers --rung tile_32");
    EXPECT_NE(one.text.find("cpu.r3_tiled.f32.32"), std::string::npos) << one.text;
    EXPECT_EQ(one.text.find("cpu.r3_tiled.f32.16"), std::string::npos) << one.text;
}

}  // namespace
}  // namespace tw::measure
