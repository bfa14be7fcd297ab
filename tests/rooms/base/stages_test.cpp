// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Tickets of one stage see all that those of the stages before have written.
#include "base/stages.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace {

TEST(Stages, NoneBeginsBeforeTheOneBeforeIsThrough) {
    constexpr std::int64_t stages = 200, tickets = 7;
    std::vector<int> written(stages * tickets);  // plain memory: the stages alone keep its readers from its writers
    std::vector<int> wrong(4);
    tw::Stages order;
    std::vector<std::thread> threads;
    for (int& mistakes : wrong)
        threads.emplace_back([&] {
            for (std::int64_t ticket; (ticket = order.take()) < stages * tickets; order.complete()) {
                const std::int64_t first = ticket / tickets * tickets;
                order.wait_for(first);
                for (std::int64_t before = 0; before < first; ++before)
                    mistakes += written[static_cast<std::size_t>(before)] != 1;
                written[static_cast<std::size_t>(ticket)] = 1;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
    EXPECT_EQ(written, std::vector<int>(stages * tickets, 1));
}

}  // namespace
