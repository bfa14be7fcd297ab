// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include <gtest/gtest.h>

#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::Ran;
using tw::test::run_tw;

TEST(LayoutVerb, DrawsARowMajorLayout) {
    const Ran ran = run_tw({"layout", "row_major(2,6)"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out,
              "       0    1    2    3    4    5\n"
              "    +----+----+----+----+----+----+\n"
              " 0  |  0 |  1 |  2 |  3 |  4 |  5 |\n"
              "    +----+----+----+----+----+----+\n"
              " 1  |  6 |  7 |  8 |  9 | 10 | 11 |\n"
              "    +----+----+----+----+----+----+\n");
}

TEST(LayoutVerb, DrawsATile) {
    const Ran ran = run_tw({"layout", "row_major(2,6)", "--tile", "2,2", "--at", "0,1"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out,
              "       0    1\n"
              "    +----+----+\n"
              " 0  |  2 |  3 |\n"
              "    +----+----+\n"
              " 1  |  8 |  9 |\n"
              "    +----+----+\n");
}

TEST(LayoutVerb, DrawsWhatAThreadGets) {
    const Ran ran = run_tw(
        {"layout", " col_major( 4 , 2 ) ", "--vectorize", "2,1", "--distribute", "row_major(2,1)", "--thread", "1"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_EQ(ran.out,
              "       0    1\n"
              "    +----+----+\n"
              " 0  |  2 |  6 |\n"
              "    +----+----+\n");
}

TEST(LayoutVerb, TakesAsManyThreadsAndCellsAsItSays) {
    for (const char* threads : {"row_major(65536,1)", "row_major(1,65536)"}) {
        const Ran ran = run_tw({"layout", threads, "--distribute", threads, "--thread", "65535"});
        EXPECT_EQ(ran.code, 0) << ran.error;
        EXPECT_NE(ran.out.find("| 65535 |"), std::string::npos) << ran.out;
    }
    EXPECT_EQ(run_tw({"layout", "row_major(256,256)"}).code, 0);
    EXPECT_EQ(run_tw({"layout", "row_major(257,256)"}).code, 2);
    EXPECT_EQ(run_tw({"layout", "row_major(256,257)"}).code, 2);
    for (const char* threads : {"row_major(65537,1)", "row_major(1,65537)"}) {
        const Ran ran = run_tw({"layout", "row_major(65537,1)", "--distribute", threads});
        EXPECT_EQ(ran.code, 2);
        EXPECT_NE(ran.error.find("--distribute takes at most 65536 x 65536 threads"), std::string::npos) << ran.error;
    }
}

TEST(LayoutVerb, DrawsBlocksWithinBlocks) {
    const Ran ran = run_tw({"layout", "row_major(1,2)", "--inside", "col_major(2,1)"});
    EXPECT_EQ(ran.code, 0) << ran.error;
    EXPECT_NE(ran.out.find(" 1  |  1 |  3 |\n"), std::string::npos);
}

TEST(LayoutVerb, RefusesWithASentence) {
    const struct {
        std::vector<std::string> arguments;
        const char* sentence;
    } cases[] = {
        {{"layout", "diagonal(2,6)"}, "a layout reads row_major(ROWS,COLS) or col_major(ROWS,COLS)"},
        {{"layout", "row_major"}, "a layout reads"},
        {{"layout", "row_major(2)"}, "a layout reads"},
        {{"layout", "row_major(2,6,)"}, "a layout reads"},
        {{"layout", "row_major(2,6"}, "a layout reads"},
        {{"layout", ""}, "a layout reads"},
        {{"layout", "row_major(0,6)"}, "a layout has from 1 to 2147483648 rows and columns"},
        {{"layout", "row_major(-1,6)"}, "a layout has from 1 to"},
        {{"layout", "row_major(99999999999999999999,6)"}, "a layout reads"},
        {{"layout", "row_major(1000,1000)"}, "a drawing has at most 65536 cells"},
        {{"layout", "row_major(2147483648,2147483648)"}, "a drawing has at most 65536 cells"},
        {{"layout", "row_major(2,6)", "--tile", "2,2", "--at", "0,3"}, "make 1 x 3 tiles of 2 x 2"},
        {{"layout", "row_major(2,6)", "--tile", "2x2"}, "--tile takes two whole numbers"},
        {{"layout", "row_major(2,6)", "--tile", "0,2"}, "--tile takes two whole numbers"},
        {{"layout", "row_major(2,6)", "--vectorize", "4,1"}, "nothing to draw"},
        {{"layout", "row_major(2,6)", "--distribute", "row_major(2,2)", "--thread", "4"}, "from 0 to 3; got '4'"},
        {{"layout", "row_major(2,6)", "--inside", "row_major(2,2)", "--tile", "1,1"},
         "--inside draws blocks within blocks and excludes"},
        {{"layout", "row_major(2,6)", "--at", "0,1"}, "--at requires --tile"},
        {{"layout"}, "LAYOUT is required"},
        {{}, "a verb is missing: one of "},
        {{""}, "there is no verb ''"},
        {{"lay"}, "there is no verb 'lay': the verbs are "},
        {{"layout", "row_major(2,6)", "--tiles", "1,1"}, "not expected"},
    };
    for (const auto& wrong : cases) {
        const Ran ran = run_tw(wrong.arguments);
        EXPECT_EQ(ran.code, 2) << wrong.sentence;
        EXPECT_EQ(ran.out, "") << wrong.sentence;
        EXPECT_EQ(ran.error.rfind("tw: ", 0), 0u) << ran.error;
        EXPECT_NE(ran.error.find(wrong.sentence), std::string::npos) << ran.error;
    }
}

TEST(Tw, HelpsWithExamplesAndSaysItsVersion) {
    EXPECT_EQ(run_tw({"--version"}).out, "tw 0.1.0\n");
    EXPECT_NE(run_tw({"--help"}).out.find("Exit codes: 0 ok"), std::string::npos);
    const Ran ran = run_tw({"layout", "--help"});
    EXPECT_EQ(ran.code, 0);
    EXPECT_NE(ran.out.find("Examples:\n  tw layout \"row_major(2,6)\"\n"), std::string::npos) << ran.out;
}

TEST(Tw, SaysSoWhenItsOutputIsLost) {
    const std::vector<std::vector<std::string>> printing{
        {"layout", "row_major(2,6)"}, {"layout", "row_major(80,80)"}, {"--help"}};
    for (const auto& words : printing) {
        const Ran full = run_tw(words, {.output = "/dev/full"});
        EXPECT_EQ(full.code, 1) << words.back();
        EXPECT_EQ(full.error, "tw: what was printed could not be written: is the disk full?\n") << words.back();
        const Ran closed = run_tw(words, {.closed = {1}});
        EXPECT_EQ(closed.code, 1) << words.back();
        EXPECT_EQ(closed.error, "tw: what was printed could not be written: standard output is not open for writing\n");
    }
    EXPECT_EQ(run_tw({"layout", "row_major(2,"}, {.closed = {1}}).code, 2) << "what comes first is said";
}

}  // namespace
