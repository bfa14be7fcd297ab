// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include <limits>

#include "measure/basis/clock.hpp"
#include "measure/turns/rounds.hpp"

namespace tw::measure {
namespace {

/// Claims to have taken `each` seconds a product and notes when its turns were.
class Pretender : public Entrant {
public:
    Pretender(double each, bool right, std::vector<const Entrant*>* turns = nullptr)
        : each_(each), right_(right), turns_(turns) {}
    Judgement judge(const Task&) override { return {.ok = right_, .seconds = each_, .trouble = right_ ? "" : "wrong"}; }
    double seconds(int passes) override {
        if (turns_) turns_->push_back(this);
        return each_ * passes;
    }

private:
    double each_;
    bool right_;
    std::vector<const Entrant*>* turns_;
};

const Task task{.m = 8, .n = 8, .k = 8};

std::vector<Timing> time(const std::vector<std::shared_ptr<Entrant>>& entrants, const Budget& budget,
                         const Watch& watch = {}) {
    std::vector<Calibration> none;
    return run_rounds(task, entrants, none, budget, watch);
}

TEST(Rounds, EveryMixOfSpeedsEnds) {
    for (const double slow : {0.001, 0.011, 0.0203, 0.19, 1.0})
        for (int count = 1; count <= 5; ++count) {
            std::vector<std::shared_ptr<Entrant>> entrants;
            for (int i = 0; i < count; ++i) entrants.push_back(std::make_shared<Pretender>(slow / (i * i + 1), true));
            const auto timings = time(entrants, {.seconds = 1, .least_samples = 6, .most_samples = 49});
            for (const Timing& timing : timings) {
                EXPECT_GE(timing.seconds.size(), 1u);
                EXPECT_LE(timing.seconds.size(), 49u);
            }
        }
}

TEST(Rounds, TheBudgetIsSharedAndTheSlowTakeFewSamples) {
    const auto timings =
        time({std::make_shared<Pretender>(0.6, true), std::make_shared<Pretender>(0.004, true)}, {.seconds = 1});
    EXPECT_LE(timings[0].seconds.size(), 2u);
    EXPECT_GE(timings[1].seconds.size(), 40u);
}

TEST(Rounds, AProductSlowerThanItsShareIsTimedOnceOnly) {
    std::vector<const Entrant*> turns;
    const auto timings = time({std::make_shared<Pretender>(5, true, &turns)}, {.seconds = 1});
    EXPECT_EQ(timings[0].seconds, std::vector<double>{5});
    EXPECT_TRUE(turns.empty()) << "the judged run is its only one";
}

TEST(Rounds, TurnsRotate) {
    std::vector<const Entrant*> turns;
    const auto a = std::make_shared<Pretender>(0.01, true, &turns), b = std::make_shared<Pretender>(0.01, true, &turns);
    time({a, b}, {.seconds = 1, .most_samples = 4});
    ASSERT_GE(turns.size(), 8u);
    const std::vector<const Entrant*> last(turns.end() - 4, turns.end());
    EXPECT_EQ(last, (std::vector<const Entrant*>{a.get(), b.get(), b.get(), a.get()}));
}

TEST(Rounds, WhoFailsTheJudgeIsNeverTimed) {
    std::vector<const Entrant*> turns;
    const auto timings = time({std::make_shared<Pretender>(0.01, false, &turns)}, {.seconds = 1});
    EXPECT_TRUE(timings[0].failed);
    EXPECT_EQ(timings[0].judgement.trouble, "wrong");
    EXPECT_TRUE(turns.empty());
}

TEST(Rounds, AnEntrantThatFailsLaterIsLeftOut) {
    const auto timings =
        time({std::make_shared<Pretender>(std::numeric_limits<double>::quiet_NaN(), true)}, {.seconds = 1});
    EXPECT_TRUE(timings[0].failed);
}

TEST(Rounds, AnInterruptKeepsWhatIsThere) {
    int asked = 0;
    const Watch watch{{}, [&] { return ++asked > 12; }};
    const auto timings =
        time({std::make_shared<Pretender>(0.01, true), std::make_shared<Pretender>(0.01, true)}, {.seconds = 9}, watch);
    ASSERT_EQ(timings.size(), 2u);
    EXPECT_FALSE(timings[0].seconds.empty());
    EXPECT_LT(timings[0].seconds.size(), 10u);
}

TEST(Rounds, AnInterruptWhileTheyAreJudgedJudgesNoMoreOfThem) {
    for (int judged = 0; judged < 3; ++judged) {
        int asked = 0;
        const Watch watch{{}, [&] { return ++asked > judged; }};
        std::vector<const Entrant*> turns;
        std::vector<std::shared_ptr<Entrant>> entrants;
        for (int i = 0; i < 3; ++i) entrants.push_back(std::make_shared<Pretender>(0.01, false, &turns));
        EXPECT_EQ(time(entrants, {.seconds = 9}, watch).size(), static_cast<std::size_t>(judged));
        EXPECT_TRUE(turns.empty());
    }
}

/// Takes as long as the list says, again and again.
class Varying : public Entrant {
public:
    explicit Varying(std::vector<double> each) : each_(std::move(each)) {}
    Judgement judge(const Task&) override { return {.ok = true, .seconds = each_.front()}; }
    double seconds(int passes) override { return each_[next_++ % each_.size()] * passes; }

private:
    std::vector<double> each_;
    std::size_t next_ = 0;
};

TEST(Rounds, WhoIsPreciseOnBothSidesOfTheMedianIsDone) {
    const Budget budget{.seconds = 1, .most_samples = 20, .relative_error = 0.1};
    const auto samples = [&](std::vector<double> each) {
        return time({std::make_shared<Varying>(std::move(each))}, budget)[0].seconds.size();
    };
    EXPECT_EQ(samples({0.01}), 6u) << "the fewest that have an interval of 95 %";
    EXPECT_EQ(samples({0.0100, 0.0101}), 6u);
    EXPECT_EQ(samples({0.01, 0.015, 0.01, 0.015, 0.01}), 20u) << "far off above alone";
    EXPECT_EQ(samples({0.015, 0.01, 0.015, 0.01, 0.015}), 20u) << "far off below alone";
}

TEST(Rounds, ProgressGoesFromNothingToAll) {
    std::vector<double> shares;
    const Watch watch{[&](const std::string&, double done) { shares.push_back(done); }, {}};
    time({std::make_shared<Pretender>(0.01, true), std::make_shared<Pretender>(0.02, true)}, {.seconds = 1}, watch);
    ASSERT_GE(shares.size(), 3u);
    EXPECT_EQ(shares.front(), 0);
    EXPECT_LT(shares.at(2), 0.5) << "two were judged, and the first sample is to come";
    for (const double share : shares) EXPECT_TRUE(share >= 0 && share <= 1) << share;
}

}  // namespace
}  // namespace tw::measure
