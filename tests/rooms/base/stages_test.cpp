// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Items of one stage see all that those of the stages before have written, and each is taken once.
#include "base/stages.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

TEST(Stages, NoneBeginsBeforeTheOneBeforeIsThrough) {
    constexpr std::int64_t stages = 200, most = 7;
    const auto items_of = [](std::int64_t stage) { return stage % most + 1; };
    std::vector<int> written(stages * most);  // plain memory: the stages alone keep its readers from its writers
    std::vector<int> wrong(4);
    tw::Stages order(6);  // two of whom never come
    std::vector<std::thread> threads;
    for (int worker = 0; worker < 4; ++worker)
        threads.emplace_back([&, worker] {
            std::int64_t before = 0;
            for (std::int64_t stage = 1; stage <= stages; before += items_of(stage++)) {
                int at = order.home_of(worker);
                for (std::int64_t item; (item = order.take(stage, items_of(stage), at)) >= 0; order.complete()) {
                    order.wait_for(before);
                    for (std::int64_t past = 0; past < (stage - 1) * most; ++past)
                        wrong[static_cast<std::size_t>(worker)] +=
                            written[static_cast<std::size_t>(past)] != (past % most < items_of(past / most + 1));
                    ++written[static_cast<std::size_t>((stage - 1) * most + item)];
                }
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
    for (std::int64_t at = 0; at < stages * most; ++at)
        EXPECT_EQ(written[static_cast<std::size_t>(at)], at % most < items_of(at / most + 1));
}

TEST(Stages, NeighboursGoToOneWorkerUntilItHelpsOthers) {
    tw::Stages order(3);
    int at = order.home_of(1);
    std::vector<std::int64_t> taken;
    for (std::int64_t item; (item = order.take(1, 9, at)) >= 0;) taken.push_back(item);
    EXPECT_EQ(taken, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 0, 1, 2}));
    at = order.home_of(2);
    EXPECT_EQ(order.take(1, 9, at), -1) << "all are taken";
    EXPECT_EQ(order.take(2, 2, at), 1) << "the next stage has homes of its own";
}

}  // namespace
