// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a verb may say of itself, and the sentence that each misuse gets.
#include "cli/console/verb.hpp"

#include <gtest/gtest.h>

#include "cli/ending/exit.hpp"

namespace {

using tw::cli::Exit;
using tw::cli::Option;
using tw::cli::Stop;
using tw::cli::Verb;

/// tw plain [--count N] [--ratio X] [--base B [--top T]] [--name S ...] [--maybe [S]], tw nested one, tw nested two.
struct Line {
    tw::cli::CommandLine line{"tw", "does", "1.2.3"};
    int count = 7;
    double ratio = 0.5;
    std::string base, top = "t", maybe, ran;
    std::vector<std::string> names;
    bool has_maybe = false;

    Line() {
        const Verb plain = line.root().add_verb("plain", "a verb");
        plain.add_option("--count", count, "a count").shows_default().within(0, 9);
        plain.add_option("--ratio", ratio, "a ratio").within(0.25, 1.0);
        const Option below = plain.add_option("--base", base, "a base");
        plain.add_option("--top", top, "a top").needs(below);
        plain.add_option("--name", names, "names");
        const Option alone = plain.add_option("--maybe", maybe, "perhaps");
        alone.may_stand_alone();
        plain.runs([this, alone] { ran = "plain", has_maybe = alone.is_given(); });
        const Verb nested = line.root().add_verb("nested", "verbs");
        nested.add_verb("one", "the first").runs([this] { ran = "one"; });
        const Verb two = nested.add_verb("two", "the second");
        two.add_option("WANTED", base, "a word").required();
        two.runs([this] { ran = "two"; });
    }

    void run(std::vector<const char*> words) {
        words.insert(words.begin(), "tw");
        line.run(static_cast<int>(words.size()), words.data());
    }
};

std::string refusal(const std::vector<const char*>& words) {
    Line line;
    try {
        line.run(words);
    } catch (const Stop& stop) {
        EXPECT_EQ(stop.code(), Exit::bad_input);
        EXPECT_EQ(line.ran, "");
        return stop.what();
    }
    return "nothing was refused";
}

TEST(Verb, OptionsReachTheVerbThatRuns) {
    Line line;
    line.run({"plain", "--count", "3", "--ratio", "0.75", "--base", "b", "--top", "x", "--name", "p", "--name", "q",
              "--maybe"});
    EXPECT_EQ(line.ran, "plain");
    EXPECT_EQ(line.count, 3);
    EXPECT_EQ(line.ratio, 0.75);
    EXPECT_EQ(line.base + line.top, "bx");
    EXPECT_EQ(line.names, (std::vector<std::string>{"p", "q"}));
    EXPECT_TRUE(line.has_maybe);
    line.run({"nested", "two", "word"});
    EXPECT_EQ(line.ran + line.base, "twoword");
}

TEST(Verb, AMissingOrUnknownVerbIsToldTheVerbsThatThereAre) {
    EXPECT_EQ(refusal({}), "a verb is missing: one of plain, nested");
    EXPECT_EQ(refusal({"plan"}), "there is no verb 'plan': the verbs are plain, nested");
    EXPECT_EQ(refusal({"nested"}), "a verb is missing after 'tw nested': one of one, two");
    EXPECT_EQ(refusal({"nested", "three"}), "there is no verb 'three' after 'tw nested': the verbs are one, two");
}

TEST(Verb, WrongWordsAreRefusedWithTheWayToTheHelp) {
    const auto ends = [](const std::string& text, const char* tail) { return text.ends_with(tail); };
    EXPECT_TRUE(ends(refusal({"plain", "--count", "10"}), "\nSee: tw plain --help"))
        << refusal({"plain", "--count", "10"});
    EXPECT_EQ(refusal({"plain", "--count", "x"}),
              "--count: expected a whole number from 0 to 9; got 'x'\nSee: tw plain --help");
    EXPECT_EQ(refusal({"plain", "--ratio", "0.1"}),
              "--ratio: expected a number from 0.25 to 1; got '0.1'\nSee: tw plain --help");
    EXPECT_NE(refusal({"plain", "--top", "x"}).find("--top requires --base"), std::string::npos);
    EXPECT_TRUE(ends(refusal({"nested", "two"}), "WANTED is required\nSee: tw nested two --help"))
        << refusal({"nested", "two"});
    EXPECT_TRUE(ends(refusal({"--nonsense"}), "\nSee: tw --help")) << refusal({"--nonsense"});
}

TEST(Verb, HelpAndVersionArePrintedAndNothingRuns) {
    for (const std::vector<const char*>& words :
         {std::vector{"--version"}, {"--help"}, {"plain", "--help"}, {"nested", "--help"}}) {
        Line line;
        testing::internal::CaptureStdout();
        line.run(words);
        const std::string printed = testing::internal::GetCapturedStdout();
        EXPECT_EQ(printed == "tw 1.2.3\n", words[0] == std::string("--version"));
        EXPECT_NE(printed, "");
        EXPECT_EQ(line.ran, "");
    }
}

}  // namespace
