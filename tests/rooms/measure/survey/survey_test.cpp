// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A whole survey on the CPU, beside a cuBLAS of three loops.
#include "measure/survey/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "measure/survey/draw.hpp"
#include "plan/registry.hpp"
#include "support/sanitized.hpp"

namespace tw::measure {
namespace {

class SurveyOnTheCpu : public testing::Test {
protected:
    void SetUp() override {
#if defined(__APPLE__)
        GTEST_SKIP() << "the cuBLAS of three loops has a Linux library's name and symbols";
#endif
    }
};

std::vector<Outcome> outcomes_of(std::vector<Case> cases, bool has_peer = true) {
    setenv("TW_PEER_CUBLAS", FAKE_CUBLAS, 1);
    std::vector<Outcome> outcomes;
    const Survey asked{.backend = find_backend("cpu"),
                       .cases = std::move(cases),
                       .peer = has_peer ? SurveyPeer::cublas : SurveyPeer::none,
                       .threads = 2,
                       .turn = 1e-5};
    const Opened opened = survey(
        asked, {}, [&](const Opened& what) { EXPECT_EQ(what.peer, has_peer ? "cublas 13.1.0" : ""); },
        [&](const Outcome& one) { outcomes.push_back(one); });
    EXPECT_EQ(opened.trouble, "");
    unsetenv("TW_PEER_CUBLAS");
    return outcomes;
}

/// Every way to lie, of every kind: the peer must be told each rightly, or its result fails the judge.
std::vector<Case> every_way() {
    std::vector<Case> all;
    for (const Kind& kind : every_kind())
        for (int ways = 0; ways < 8; ++ways)
            for (const std::int64_t m : {1, 5})
                for (const std::int64_t n : {1, 7})
                    for (const std::int64_t k : {1, 11}) {
                        if (!test::has_its_turn(5)) continue;
                        Case one{.kind = &kind, .m = m, .n = n, .k = k};
                        one.a.by_columns = ways & 1, one.b.by_columns = ways & 2, one.c.by_columns = ways & 4;
                        all.push_back(one);
                        one.a.pitch = one.b.pitch = one.c.pitch = 13;
                        one.a.offset = 1, one.b.offset = 2, one.c.offset = 3, one.beta = 0.5;
                        all.push_back(one);
                        one.products = 3;
                        all.push_back(one);
                        one.by_pointers = true;
                        all.push_back(one);
                    }
    return all;
}

TEST_F(SurveyOnTheCpu, ThePeerIsToldEveryWayToLieRightly) {
    for (const Outcome& one : outcomes_of(every_way())) {
        EXPECT_EQ(one.trouble, "") << one.what.kind->name << " " << one.what.text();
        EXPECT_TRUE(one.has_ratio()) << one.what.text();
    }
}

TEST_F(SurveyOnTheCpu, APeerThatMultipliesWronglyIsToldAndNotTimed) {
    setenv("FAKE_CUBLAS_IS_WRONG", "1", 1);
    const auto outcomes = outcomes_of({{.kind = find_kind("f32"), .m = 20, .n = 30, .k = 40}});
    unsetenv("FAKE_CUBLAS_IS_WRONG");
    ASSERT_EQ(outcomes.size(), 1u);
    EXPECT_EQ(outcomes[0].trouble.substr(0, 19), "the peer's result: ") << outcomes[0].trouble;
    EXPECT_FALSE(outcomes[0].is_wrong);
    EXPECT_FALSE(outcomes[0].is_timed());
}

// At such a shape cuBLAS ends the process; at its neighbours it does not.
TEST_F(SurveyOnTheCpu, ALongRowOfC128IsNotAskedOfCublas) {
    std::vector<Case> cases;
    const auto ask = [&](std::int64_t m, std::int64_t n, std::int64_t k, const char* kind, std::int64_t products) {
        cases.push_back({.kind = find_kind(kind), .m = m, .n = n, .k = k, .products = products});
    };
    for (const auto& [m, n, k] : {std::array<std::int64_t, 3>{1, 1025, 3}, {1025, 1, 3}, {1, 3, 1025}})
        ask(m, n, k, "c128", 1), ask(m, n, k, "c64", 1), ask(m, n, k, "c128", 2);
    ask(1, 1024, 3, "c128", 1), ask(2, 1025, 3, "c128", 1);
    const auto outcomes = outcomes_of(cases);
    EXPECT_EQ(outcomes.size(), cases.size());
    for (const Outcome& one : outcomes) {
        const Case& what = one.what;
        const bool is_long = std::min(what.m, what.n) == 1 && std::max({what.m, what.n, what.k}) == 1025;
        const bool is_left_out = is_long && what.kind == find_kind("c128") && what.products == 1;
        EXPECT_EQ(one.peer.empty(), is_left_out) << what.kind->name << " " << what.text();
    }
}

TEST_F(SurveyOnTheCpu, AShapeThatFailsEndsNothing) {
    const Kind* kind = find_kind("f32");
    const auto outcomes = outcomes_of({{.kind = kind, .m = 1 << 20, .n = 1 << 20, .k = 8},  // more than any memory here
                                       {.kind = kind, .m = 8, .n = 8, .k = 8}});
    ASSERT_EQ(outcomes.size(), 2u);
    EXPECT_NE(outcomes[0].trouble, "");
    EXPECT_EQ(outcomes[1].trouble, "");
    EXPECT_TRUE(outcomes[1].has_ratio());
}

TEST_F(SurveyOnTheCpu, LibrariesOfTheHostArePeersAndWhatTheyLackIsWidened) {
    std::vector<Case> cases{{.kind = find_kind("f32"), .m = 5, .n = 7, .k = 11}};
    for (const char* narrow : {"bf16", "f16"})
        for (int ways = 0; ways < 8; ++ways) {
            Case one{.kind = find_kind(narrow), .m = 5, .n = 7, .k = 11, .products = 2, .beta = 0.5};
            one.a.by_columns = ways & 1, one.b.by_columns = ways & 2, one.c.by_columns = ways & 4;
            cases.push_back(one);
        }
    setenv("TW_PEER_OPENBLAS", FAKE_PEER, 1);
    for (const char* other : {"TW_PEER_BLIS", "TW_PEER_ONEDNN", "TW_PEER_MKL", "TW_PEER_LIBXSMM"})
        setenv(other, "/nowhere", 1);
    const Survey asked{
        .backend = find_backend("cpu"), .cases = cases, .peer = SurveyPeer::libraries, .threads = 2, .turn = 1e-5};
    const Opened opened = survey(
        asked, {}, [&](const Opened& what) { EXPECT_EQ(what.peer, "openblas 99.1.2"); },
        [&](const Outcome& one) {
            EXPECT_EQ(one.trouble, "") << one.what.kind->name << " " << one.what.text();
            EXPECT_EQ(one.peer, one.what.kind->type == Type::f32 ? "openblas" : "tilewright in f32");
        });
    EXPECT_EQ(opened.trouble, "");
    for (const char* one : {"TW_PEER_OPENBLAS", "TW_PEER_BLIS", "TW_PEER_ONEDNN", "TW_PEER_MKL", "TW_PEER_LIBXSMM"})
        unsetenv(one);
}

TEST_F(SurveyOnTheCpu, WithoutAPeerThereAreTimesAndNoRatios) {
    const auto outcomes =
        outcomes_of(draw(2, 5, {find_kind("f32"), find_kind("f64")}, {.bytes = 1e5, .operations = 1e-6}), false);
    ASSERT_EQ(outcomes.size(), 5u);
    for (const Outcome& one : outcomes) {
        EXPECT_TRUE(one.is_timed()) << one.trouble;
        EXPECT_FALSE(one.has_ratio());
        EXPECT_EQ(one.seconds.size(), 5u);
    }
}

TEST_F(SurveyOnTheCpu, APeerThatIsNotThereIsASentence) {
    setenv("TW_PEER_CUBLAS", "/nowhere/libcublas.so", 1);
    const Survey asked{.backend = find_backend("cpu"), .peer = SurveyPeer::cublas};
    const Opened opened = survey(asked, {}, [](const Opened&) { FAIL(); }, [](const Outcome&) { FAIL(); });
    EXPECT_NE(opened.trouble.find("/nowhere/libcublas.so"), std::string::npos) << opened.trouble;
    unsetenv("TW_PEER_CUBLAS");
}

}  // namespace
}  // namespace tw::measure
