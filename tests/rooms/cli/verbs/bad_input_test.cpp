// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What somebody may mistype, verb by verb: a sentence that says what was expected and what came, and exit code 2,
// before anything is measured or written.
#include <gtest/gtest.h>

#include "rooms/cli/run_tw.hpp"

namespace {

struct Mistake {
    std::vector<std::string> arguments;
    const char* sentence;  ///< in what it says
};

TEST(BadInput, GetsASentenceFromEveryVerb) {
    const Mistake mistakes[] = {
        {{"laddr"}, "there is no verb 'laddr': the verbs are info, ladder"},
        {{"info", "--fast"}, "--fast"},
        {{"ladder", "--size", "3x4x5"}, "--size takes a whole number from 1 to 1048576; got '3x4x5'"},
        {{"ladder", "--shape", "3x4"}, "--shape: expected MxNxK, such as 1000x200x300; got '3x4'"},
        {{"ladder", "--size", "8", "--shape", "8x8x8"}, "--size and --shape exclude each other"},
        {{"ladder", "--device", "cpu", "--rung", "nope"}, "no rung or kernel of cpu has the name 'nope'"},
        {{"ladder", "--threads", "-2"}, "--threads: expected a whole number from 0 to 1024; got '-2'"},
        {{"bench", "--m", "0"}, "--m: expected whole numbers from 1 to 1048576"},
        {{"bench", "--suite", "all"}, "--suite: expected square, skinny,"},
        {{"bench", "--from", "x.json"}, "--from is for --suite survey and decode"},
        {{"bench", "--m", "8", "--seed", "3"}, "--seed is for --suite survey and decode"},
        {{"bench", "loaders", "--device", "cpu"}, "expected metal-check, metal or cuda, which have threadgroup memory"},
        {{"roofline", "--peak", "3xy", "--bandwidth", "1"},
         "--peak takes a number above 0, or several with an x between"},
        {{"roofline", "--peak", "3"}, "--peak requires --bandwidth"},
        {{"roofline", "--peak", "3", "--bandwidth", "0"}, "--bandwidth takes a number above 0"},
        {{"explain"}, "RUNG is required"},
        {{"explain", "r99"}, "no rung or kernel of this build is called 'r99'"},
        {{"tune", "--shape", "-3"}, "--shape takes a whole number from 1 to 1048576; got '-3'"},
        {{"report", "-o", "/no/such/folder/x.html"}, "making a file beside it failed: No such file or directory"},
        {{"multiply", "/no/such/a.npy", "b.npy", "-o", "c.npy"}, "it can't be opened: No such file or directory"},
        {{"effort", "build", "-o", "y"}, "W is required"},
        {{"effort", "build", "w"}, "--output is required"},
        {{"effort", "run", "-o", "y"}, "W is required"},
        {{"effort", "run", "w", "-o", "y"}, "V is required"},
        {{"effort", "run", "w", "v"}, "--output is required"},
        {{"effort", "run", "w", "v", "-o", "y"}, "one of --effort and --error"},
        {{"effort", "curve", "--suite", "all"}, "--suite: expected quality or speed; got 'all'"},
        {{"layout", "row_major(2"}, "a layout reads row_major(ROWS,COLS)"},
        {{"judge", "--device", "abacus"}, "--device: expected one of cpu,"},
        {{"judge", "--seed", "1e400"}, "--seed takes a whole number; got '1e400'"},
        {{"judge", "--largest", "-1"}, "--largest: expected a whole number from 0 on; got -1"},
        {{"judge", "--cases", "-1"}, "--cases: expected a whole number from 0 on; got -1"},
        {{"metal-check"}, "FILE is required"},
        {{"metal-check", "x.metal", "--grid", "1", "--threads", "1"}, "--kernel is required"},
        {{"metal-check", "x.metal", "--kernel", "k", "--threads", "1"}, "--grid is required"},
        {{"metal-check", "x.metal", "--kernel", "k", "--grid", "1"}, "--threads is required"},
        {{"metal-check", "x.metal", "--kernel", "k", "--grid", "1", "--threads", "1"}, "there is no file 'x.metal'"},
    };
    for (const Mistake& mistake : mistakes) {
        const tw::test::Ran ran = tw::test::run_tw(mistake.arguments);
        SCOPED_TRACE("tw " + mistake.arguments.front() + ": " + mistake.sentence);
        EXPECT_EQ(ran.code, 2);
        EXPECT_NE(ran.error.find(mistake.sentence), std::string::npos) << ran.error;
        EXPECT_EQ(ran.out, "");
    }
}

}  // namespace
