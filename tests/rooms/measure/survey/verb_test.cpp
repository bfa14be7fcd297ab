// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw bench --suite survey as a user types it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "rooms/measure/say.hpp"

namespace tw::measure {
namespace {

int lines_with(const std::string& text, const std::string& word) {
    int count = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
    return count;
}

TEST(SurveyVerb, MeasuresTheShapesOfASeedAndKeepsThem) {
    const std::string file = "/tmp/tilewright-survey-" + std::to_string(getpid()) + ".json";
    const Said said = say("bench --suite survey --seed 11 --count 2 --types f32 --threads 2 --json " + file);
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("2 shapes on cpu"), std::string::npos) << said.text;
    EXPECT_EQ(lines_with(said.text, "GFLOP/s"), 2) << said.text;
    const Said again = say("bench --suite survey --from " + file + " --from " + file + " --baseline " + file);
    EXPECT_EQ(again.code, 0) << again.text;
    EXPECT_NE(again.text.find("4 shapes, 1.000x"), std::string::npos) << again.text;
    unlink(file.c_str());
}

TEST(SurveyVerb, MeasuresTheShapesOfAFile) {
    const std::string file = "/tmp/tilewright-cases-" + std::to_string(getpid());
    std::ofstream(file) << "# from a table\n\nf32 33x20x17 NT beta 0.5\n 7 f64 8x9x10 NN   0.85g  10 us\n";
    const Said said = say("bench --suite survey --threads 1 --cases " + file);
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("33x20x17 NT beta 0.5"), std::string::npos) << said.text;
    EXPECT_NE(said.text.find("8x9x10 NN"), std::string::npos) << said.text;
    std::ofstream(file) << "\nf32 33x20 NT\n";
    const Said bad = say("bench --suite survey --cases " + file);
    EXPECT_EQ(bad.code, 2) << bad.text;
    EXPECT_NE(bad.text.find(file + ":2: expected a shape"), std::string::npos) << bad.text;
    unlink(file.c_str());
}

TEST(SurveyVerb, APartHasItsShare) {
    const Said said = say("bench --suite survey --seed 11 --count 5 --shard 3/3 --types f64 --threads 2");
    EXPECT_EQ(said.code, 0) << said.text;
    EXPECT_NE(said.text.find("1 shape on cpu"), std::string::npos) << said.text;
}

TEST(SurveyVerb, WhatCannotBeIsRefusedWithASentence) {
    const std::pair<const char*, const char*> cases[] = {
        {"--suite survey --types f8", "expected bf16, f16, f32, tf32, fp32_elementwise, f64, c64 or c128; got 'f8'"},
        {"--suite survey --shard 3/2", "--shard"},
        {"--suite survey --shard 2", "expected I/N, such as 1/2; got '2'"},
        {"--suite survey --count 0", "--count"},
        {"--suite survey --m 64", "--suite survey and --m exclude each other"},
        {"--suite decode --kernel r7", "--suite decode and --kernel exclude each other"},
        {"--suite survey --peers=mkl",
         "a survey's peer is cublas on --device cuda, and whatever is found on cpu; got 'mkl'"},
        {"--suite survey --from /nowhere.json", "--from /nowhere.json: it can't be read"},
        {"--suite survey --cases /nowhere", "--cases /nowhere: it can't be read"},
        {"--suite survey --cases /dev/null", "expected a shape on each line"},
        {"--suite survey --cases /dev/null --seed 3", "--cases and --seed exclude each other"},
        {"--suite decode --cases /dev/null", "--cases and --suite decode exclude each other"},
        {"--cases /dev/null", "--cases is for --suite survey and decode"},
        {"--suite survey --baseline /dev/null", "not a survey of tw"},
        {"--suite servey", "mixed, survey or decode; got 'servey'"}};
    for (const auto& [arguments, sentence] : cases) {
        const Said said = say(std::string("bench ") + arguments);
        EXPECT_EQ(said.code, 2) << arguments << "\n" << said.text;
        EXPECT_NE(said.text.find(sentence), std::string::npos) << arguments << "\n" << said.text;
    }
}

TEST(SurveyVerb, WithoutACudaDeviceItSaysSo) {
    const Said said = say("bench --suite survey --device cuda --peers=cublas --count 1");
    if (said.code == 0) GTEST_SKIP() << "there is one";
    EXPECT_EQ(said.code, 2) << said.text;
    EXPECT_NE(said.text.find("--device cuda: "), std::string::npos) << said.text;
}

}  // namespace
}  // namespace tw::measure
