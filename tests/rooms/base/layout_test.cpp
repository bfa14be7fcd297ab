// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "tilewright/draw.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using tw::col_major;
using tw::Layout;
using tw::row_major;

// What kernels rely on is settled when this compiles.
static_assert(row_major(2, 6)(1, 1) == 7);
static_assert(col_major(2, 6)(1, 1) == 3);
static_assert(row_major(2, 6).tile(2, 2, 0, 1) == Layout{2, 2, 6, 1, 2});
static_assert(row_major(2, 6).transposed() == Layout{6, 2, 1, 6, 0});
static_assert(row_major(5, 7).tile(2, 4, 2, 1) == Layout{1, 3, 7, 1, 32},
              "a tile at the ragged corner is what is left");
static_assert(row_major(5, 7).tile(2, 4, 3, 0).rows == 0, "a tile beyond the edge is empty");
static_assert(row_major(8, 8).tile(4, 4, 1, 1).tile(2, 2, 0, 1) == row_major(8, 8).tile(2, 2, 2, 3), "tiles of tiles");
static_assert(row_major(4, 8).vectorize(1, 4) == Layout{4, 2, 8, 4, 0});
static_assert(row_major(4, 10).vectorize(1, 4).cols == 2, "only whole vectors");
static_assert(col_major(8, 4).vectorize(4, 1) == Layout{2, 4, 4, 8, 0});
static_assert(row_major(2, 4).place_of(6) == tw::Coordinate{1, 2});
static_assert(col_major(2, 4).place_of(6) == tw::Coordinate{0, 3});
static_assert(row_major(8, 8).distribute(row_major(2, 4), 5) == Layout{4, 2, 16, 4, 9});
static_assert(row_major(8, 8).distribute(col_major(2, 4), 5) == Layout{4, 2, 16, 4, 10});
static_assert(tw::compose(row_major(2, 1), col_major(4, 2))(5, 1) == 13);
static_assert(tw::compose(row_major(2, 2), col_major(4, 2)).block(1, 0) == Layout{4, 2, 1, 4, 16});

template <Layout L>
constexpr std::int64_t elements_of = L.size();
static_assert(elements_of<row_major(3, 4)> == 12, "a layout may be a template argument");

constexpr float moved_by_two_threads() {
    float from[6] = {1, 2, 3, 4, 5, 6}, to[6] = {};
    const tw::Tensor source{from, row_major(2, 3)}, target{to, col_major(2, 3)};
    for (int thread = 0; thread < 2; ++thread)
        tw::copy(target.distribute(row_major(2, 1), thread), source.distribute(row_major(2, 1), thread));
    return to[0] + 10 * to[1] + 100 * to[2] + 1000 * to[5];
}
static_assert(moved_by_two_threads() == 1 + 40 + 200 + 6000);

TEST(Layout, DrawsTheGridOfOffsets) {
    EXPECT_EQ(draw(row_major(2, 6)),
              "       0    1    2    3    4    5\n"
              "    +----+----+----+----+----+----+\n"
              " 0  |  0 |  1 |  2 |  3 |  4 |  5 |\n"
              "    +----+----+----+----+----+----+\n"
              " 1  |  6 |  7 |  8 |  9 | 10 | 11 |\n"
              "    +----+----+----+----+----+----+\n");
    EXPECT_EQ(draw(row_major(2, 6).tile(2, 2, 0, 1)),
              "       0    1\n"
              "    +----+----+\n"
              " 0  |  2 |  3 |\n"
              "    +----+----+\n"
              " 1  |  8 |  9 |\n"
              "    +----+----+\n");
}

TEST(Layout, WidensCellsForLongOffsets) {
    EXPECT_EQ(draw(Layout{1, 2, 0, 1000, 0}),
              "         0      1\n"
              "    +------+------+\n"
              " 0  |    0 | 1000 |\n"
              "    +------+------+\n");
    EXPECT_EQ(draw(Layout{2, 1, 1000, 1, 0}),
              "         0\n"
              "    +------+\n"
              " 0  |    0 |\n"
              "    +------+\n"
              " 1  | 1000 |\n"
              "    +------+\n");
}

TEST(Layout, DrawsBlocksWithinBlocks) {
    EXPECT_EQ(draw(tw::compose(row_major(1, 2), col_major(2, 2))),
              "       0    1    2    3\n"
              "    +----+----+----+----+\n"
              " 0  |  0 |  2 |  4 |  6 |\n"
              "    +----+----+----+----+\n"
              " 1  |  1 |  3 |  5 |  7 |\n"
              "    +----+----+----+----+\n");
}

// Threads that share a copy must cover each element once, also where the shape is no multiple of theirs.
TEST(Layout, DistributeCoversEachElementOnce) {
    for (const Layout threads : {row_major(4, 8), col_major(4, 8), row_major(32, 1), row_major(1, 3)})
        for (const Layout whole : {row_major(8, 16), row_major(5, 7), col_major(33, 2), row_major(1, 1)}) {
            std::multiset<std::int64_t> seen;
            for (std::int64_t id = 0; id < threads.size(); ++id) {
                const Layout mine = whole.distribute(threads, id);
                for (std::int64_t i = 0; i < mine.rows; ++i)
                    for (std::int64_t j = 0; j < mine.cols; ++j) seen.insert(mine(i, j));
            }
            ASSERT_EQ(static_cast<std::int64_t>(seen.size()), whole.size());
            std::int64_t expected = 0;
            for (const std::int64_t offset : seen) ASSERT_EQ(offset, expected++);
        }
}

TEST(Layout, TilesCoverEachElementOnce) {
    const Layout whole = col_major(7, 5);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < 4; ++i)
        for (std::int64_t j = 0; j < 2; ++j) {
            const Layout tile = whole.tile(2, 3, i, j);
            for (std::int64_t r = 0; r < tile.rows; ++r)
                for (std::int64_t s = 0; s < tile.cols; ++s) EXPECT_TRUE(seen.insert(tile(r, s)).second);
        }
    EXPECT_EQ(seen.size(), 35u);
}

}  // namespace
