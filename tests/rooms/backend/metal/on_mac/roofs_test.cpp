// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_mac/roofs.hpp"

#include <gtest/gtest.h>

#include "backend/metal/backend.hpp"

namespace {

using namespace tw;

TEST(MetalRoofs, TheFormulaGivesWhatTheSeedsMeantAndWhatAppleSays) {
    EXPECT_DOUBLE_EQ(metal::fma_gflops("Apple M1 Pro", 16), 5308.416);
    EXPECT_NEAR(metal::fma_gflops("Apple M1", 8), 2600, 26);          // Apple: 2.6 TFLOP/s
    EXPECT_NEAR(metal::fma_gflops("Apple M2", 10), 3600, 36);         // 3.6
    EXPECT_NEAR(metal::fma_gflops("Apple M2 Ultra", 76), 27200, 27);  // 27.2
    EXPECT_EQ(metal::chip_of("Apple M2 Max").gigabytes_per_second, 400);
}

TEST(MetalRoofs, AChipThatIsNotInTheTableHasNoRoof) {
    EXPECT_EQ(metal::fma_gflops("Apple M99", 10), 0);
    EXPECT_EQ(metal::fma_gflops("Apple M3", 10), 0) << "its clock is not known";
    EXPECT_EQ(metal::chip_of("Apple M99").gigabytes_per_second, 0);
}

// The stand-in is called after no chip, and its system counts no cores.
TEST(MetalRoofs, WhereTheSystemTellsNothingTheRoofsAreUnknown) {
    EXPECT_EQ(metal::gpu_cores(), 0);
    ASSERT_EQ(metal::backend().roofs.size(), 2u);
    for (const Roof& roof : metal::backend().roofs) {
        EXPECT_EQ(roof.theoretical(), 0) << roof.unit;
        EXPECT_FALSE(roof.measure) << roof.unit;
    }
}

}  // namespace
