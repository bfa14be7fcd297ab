// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How many threads a product is worth, and who does what.
#include "backend/cpu/product/parallel.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <vector>

namespace {

using namespace tw::cpu;

TEST(WorkersFor, AsManyAsHaveSomethingToDo) {
    EXPECT_EQ(workers_for(1, 1, 1, 16), 1);
    EXPECT_EQ(workers_for(40, 40, 40, 16), 1);
    EXPECT_EQ(workers_for(80, 80, 80, 16), 7);  // not one because it is too small for sixteen
    EXPECT_EQ(workers_for(512, 512, 512, 16), 16);
    EXPECT_EQ(workers_for(std::int64_t{1} << 31, std::int64_t{1} << 31, std::int64_t{1} << 31, 2), 2);
    for (const int none : {1, 0, -1}) EXPECT_EQ(workers_for(512, 512, 512, none), 1) << none;
}

TEST(Homes, EachItemIsTakenOnceAndOnesOwnComeFirst) {
    for (const int workers : {1, 2, 3, 16, 32, 33, 100})
        for (const std::int64_t items : {workers, workers + 1, 4 * workers - 1, 1000}) {
            const int homes = std::min(workers, 32), worker = workers - 1;
            Homes left(items, workers);
            std::vector<int> taken(static_cast<std::size_t>(items));
            int at = left.home_of(worker);
            const std::int64_t from = items * at / homes, end = items * (at + 1) / homes;
            for (std::int64_t item, count = 0; (item = left.take(at)) >= 0; ++count) {
                ASSERT_LT(item, items);
                ++taken[static_cast<std::size_t>(item)];
                if (count < end - from) {
                    ASSERT_EQ(item, from + count) << "of its own home, in their order";
                }
            }
            EXPECT_EQ(std::ranges::count(taken, 1), items) << workers << " workers";
            EXPECT_EQ(left.take(at), -1);
        }
}

/// Who did which item, by workers that stay at their first one until all have begun.
struct Met {
    explicit Met(int workers) : workers(workers), by(static_cast<std::size_t>(workers)) {}
    void operator()(int worker, std::int64_t item) const {
        by[static_cast<std::size_t>(item)] = worker;
        for (++begun; begun < workers;) usleep(100);
    }
    int workers;
    mutable std::vector<int> by;
    mutable std::atomic<int> begun{0};
};

TEST(ShareOut, EachWorkerBeginsAtHome) {
    constexpr int workers = 4;
    tw::Call call{};
    call.threads = workers;
    const Met met(workers);
    share_out(call, workers, met);
    for (int worker = 0; worker < workers; ++worker) EXPECT_EQ(met.by[static_cast<std::size_t>(worker)], worker);
}

TEST(ShareOut, DoesEachItemOnce) {
    tw::Call call{};
    for (const int threads : {1, 2, 5, 40})
        for (const std::int64_t items : {0, 1, 7, 300}) {
            call.threads = threads;
            std::vector<std::atomic<int>> done(static_cast<std::size_t>(items));
            share_out(call, items, [&](int, std::int64_t item) { ++done[static_cast<std::size_t>(item)]; });
            EXPECT_TRUE(std::ranges::all_of(done, [](const auto& count) { return count == 1; })) << threads;
        }
}

}  // namespace
