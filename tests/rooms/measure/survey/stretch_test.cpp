// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a side of a survey is told to do, and when: sets in turn, as calls or as a graph; by a played device.
#include "measure/survey/stretch.hpp"

#include <gtest/gtest.h>

#include <string>

#include "backend/cuda/device/replays.hpp"
#include "plan/registry.hpp"

namespace tw::measure {
namespace {

std::string done;   // a letter for each product, by its set; (...) is recorded, G a graph that is replayed
std::string graph;  // what the graph holds
bool is_recording = false, refuses_to_end = false;

const cuda::Replays replays{.record = [](void*) { return is_recording = true, graph.clear(), Status{}; },
                            .end =
                                [](void*, void*& recorded) {
                                    is_recording = false;
                                    if (refuses_to_end)
                                        return Status{Code::device_failed, Argument::none, "it can't be kept"};
                                    return recorded = &graph, Status{};
                                },
                            .replay = [](void*, void*) { return done += 'G', Status{}; },
                            .drop = [](void*) {}};

struct Played : Side {
    const std::vector<Set>* sets;
    int shown = 0, made_ready = 0, settled = 0;
    explicit Played(const std::vector<Set>& all) : sets(&all) {}
    Status begin(const Set& set) override {
        (is_recording ? graph : done) += static_cast<char>('a' + (&set - sets->data()));
        return {};
    }
    void show(const Set& set) override { shown += &set == sets->data(); }
    void make_ready() override { EXPECT_EQ(made_ready++, settled); }
    void settle() override { EXPECT_EQ(++settled, made_ready); }
};

class Stretches : public testing::Test {
protected:
    void SetUp() override { done.clear(), graph.clear(), is_recording = refuses_to_end = false; }
    const Queue queue{*find_backend("cpu"), 2, &replays};
    const std::vector<Set> sets{3};
    Played side{sets}, other{sets};
    Case adds{.kind = find_kind("f32"), .m = 1, .n = 1, .k = 1, .beta = 0.5}, plain = adds;
    Stretches() { plain.beta = 0; }
};

TEST_F(Stretches, MultiplySetsInTurn) {
    Stretch stretch(side, sets, queue);
    for (int i = 0; i < 7; ++i) ASSERT_TRUE(stretch.run(0));
    EXPECT_EQ(done, "abcabca");
    EXPECT_EQ(side.settled, 7);
    EXPECT_GT(stretch.each(), 0);
}

TEST_F(Stretches, RunForSoLongAsTheyAreTold) {
    Stretch stretch(side, sets, queue);
    ASSERT_TRUE(stretch.warm_up(0));
    EXPECT_EQ(done, "ab") << "two are enough where one takes longer than that";
    const double each = stretch.each();
    done.clear();
    ASSERT_TRUE(stretch.run(each * 9.5));
    EXPECT_EQ(done.size(), 10u);
    EXPECT_EQ(done.substr(0, 4), "cabc") << "they go on where they were";
}

TEST_F(Stretches, AGraphHasEachSetAsOftenAndTwentyAtLeast) {
    Stretch stretch(side, sets, queue);
    ASSERT_TRUE(stretch.run(0));
    ASSERT_TRUE(stretch.record());
    EXPECT_EQ(graph, "abcabcabcabcabcabcabc");
    done.clear();
    const double each = stretch.each();
    ASSERT_TRUE(stretch.run(each * 21 * 2.5));
    EXPECT_EQ(done, "GGG");
    stretch.forget();
    done.clear();
    ASSERT_TRUE(stretch.run(0));
    EXPECT_EQ(done, "a");
}

TEST_F(Stretches, WhatIsJudgedIsTheWayThatIsTimedUnlessItAddsToC) {
    Stretch stretch(side, sets, queue);
    ASSERT_TRUE(stretch.run_first(plain));
    EXPECT_EQ(done, "a");
    ASSERT_TRUE(stretch.record());
    ASSERT_TRUE(stretch.run_first(plain));
    ASSERT_TRUE(stretch.run_first(adds));
    EXPECT_EQ(done, "aGa") << "a graph would add its own results";
    EXPECT_EQ(side.shown, 3);
}

TEST_F(Stretches, BothAreRecordedOrNeither) {
    Stretch ours(side, sets, queue), theirs(other, sets, queue);
    ASSERT_TRUE(ours.run(0) && theirs.run(0));
    ASSERT_TRUE(ours.is_worth_recording());
    EXPECT_TRUE(record_both(ours, nullptr));
    EXPECT_TRUE(ours.is_recorded());
    EXPECT_TRUE(record_both(ours, &theirs));
    EXPECT_TRUE(theirs.is_recorded());

    Stretch alone(side, sets, queue);
    ASSERT_TRUE(alone.run(0));
    ours.forget();
    ASSERT_TRUE(ours.run(0));
    ASSERT_TRUE(ours.record());
    refuses_to_end = true;
    const Status failed = record_both(ours, &alone);
    EXPECT_EQ(failed.code, Code::device_failed);
    EXPECT_FALSE(ours.is_recorded()) << "the host's time would count for one of them";
    EXPECT_FALSE(alone.is_recorded());
    EXPECT_FALSE(record_both(ours, nullptr));
}

TEST_F(Stretches, RoundsBeginWithEachSideInTurn) {
    Stretch ours(side, sets, queue), theirs(other, sets, queue);
    Turns turns;
    ASSERT_TRUE(take_turns(ours, &theirs, 0, turns));
    EXPECT_EQ(turns.ours.size(), 5u);
    EXPECT_EQ(turns.theirs.size(), 5u);
    Turns alone;
    ASSERT_TRUE(take_turns(ours, nullptr, 0, alone));
    EXPECT_EQ(alone.ours.size(), 5u);
    EXPECT_TRUE(alone.theirs.empty());
}

}  // namespace
}  // namespace tw::measure
