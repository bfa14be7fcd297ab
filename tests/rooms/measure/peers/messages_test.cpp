// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What goes between us and a peer's process arrives whole, or is said not to have arrived.
#include "measure/peers/messages.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <numeric>
#include <thread>
#include <vector>

namespace tw::measure {
namespace {

class Messages : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
    void TearDown() override { close_end(0), close_end(1); }
    void close_end(int which) {
        if (ends_[which] >= 0) close(ends_[which]);
        ends_[which] = -1;
    }
    int ends_[2] = {-1, -1};
};

// More than a channel holds, so that it is sent and received in parts.
TEST_F(Messages, LongOnesArriveWhole) {
    std::vector<int> sent(1 << 20), received(sent.size() + 1, -1);
    std::iota(sent.begin(), sent.end(), 7);
    bool is_sent = false;
    std::thread sender([&] { is_sent = send_all(ends_[0], sent.data(), sent.size() * sizeof(int)); });
    EXPECT_TRUE(receive_all(ends_[1], received.data(), sent.size() * sizeof(int), -1));
    sender.join();
    EXPECT_TRUE(is_sent);
    EXPECT_EQ(received.back(), -1) << "beyond its end";
    received.pop_back();
    EXPECT_EQ(received, sent);
}

TEST_F(Messages, PartsOfOneAreWaitedFor) {
    const char text[] = "in two parts";
    std::thread sender([&] {
        EXPECT_TRUE(send_all(ends_[0], text, 5));
        usleep(20000);
        EXPECT_TRUE(send_all(ends_[0], text + 5, sizeof text - 5));
    });
    char received[sizeof text] = "";
    EXPECT_TRUE(receive_all(ends_[1], received, sizeof text, 10000));
    sender.join();
    EXPECT_STREQ(received, text);
}

TEST_F(Messages, AnEndThatIsClosedHalfWayIsSaid) {
    char received[8] = "";
    ASSERT_TRUE(send_all(ends_[0], "four", 4));
    close_end(0);
    EXPECT_FALSE(receive_all(ends_[1], received, sizeof received, -1));
    EXPECT_FALSE(receive_all(ends_[1], received, 1, -1));
    EXPECT_FALSE(send_all(ends_[1], "nobody", 6)) << "and no signal ends us";
}

TEST_F(Messages, PatienceEnds) {
    char received[8] = "";
    EXPECT_FALSE(receive_all(ends_[1], received, 1, 1));
    ASSERT_TRUE(send_all(ends_[0], "four", 4));
    EXPECT_FALSE(receive_all(ends_[1], received, sizeof received, 1));
    EXPECT_TRUE(receive_all(ends_[1], received, 0, 0)) << "nothing has arrived at once";
}

}  // namespace
}  // namespace tw::measure
