// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What is asked of tw bench --suite survey, option by option, is what is measured.
#include "cli/verbs/survey.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

#include "base/threads.hpp"
#include "measure/survey/draw.hpp"
#include "plan/registry.hpp"
#include "rooms/cli/run_tw.hpp"

namespace tw::cli {
namespace {

measure::Survey survey_with(const std::function<void(SurveyArguments&)>& change) {
    SurveyArguments asked;
    asked.suite = "survey", asked.device = "cpu", asked.count = 7;
    change(asked);
    return survey_of(asked);
}

std::vector<std::string> texts_of(const std::vector<measure::Case>& cases) {
    std::vector<std::string> texts;
    for (const measure::Case& one : cases) texts.push_back(one.kind->name + (" " + one.text()));
    return texts;
}

std::vector<const measure::Kind*> usual_kinds() {
    std::vector<const measure::Kind*> kinds;
    for (const measure::Kind& kind : measure::every_kind())
        if (kind.is_usual) kinds.push_back(&kind);
    return kinds;
}

TEST(SurveyOptions, AreWhatIsMeasuredByDefault) {
    const measure::Survey survey = survey_with([](SurveyArguments&) {});
    EXPECT_EQ(survey.backend, find_backend("cpu"));
    EXPECT_EQ(texts_of(survey.cases), texts_of(measure::draw(1, 7, usual_kinds(), measure::host_limits)));
    EXPECT_EQ(survey.peer, measure::SurveyPeer::none);
    EXPECT_EQ(survey.threads, default_threads());
    EXPECT_FALSE(survey.is_reproducible);
}

TEST(SurveyOptions, EachReachesItsPlace) {
    EXPECT_EQ(survey_with([](auto& o) { o.threads = 3; }).threads, 3);
    EXPECT_TRUE(survey_with([](auto& o) { o.is_reproducible = true; }).is_reproducible);
    EXPECT_EQ(survey_with([](auto& o) { o.with_peers = true; }).peer, measure::SurveyPeer::libraries);
    EXPECT_EQ(survey_with([](auto& o) { o.device = "cpu-check"; }).backend, find_backend("cpu-check"));
    EXPECT_EQ(survey_with([](auto& o) { o.device = "cpu-check", o.with_peers = true; }).peer,
              measure::SurveyPeer::none);
    EXPECT_EQ(
        texts_of(survey_with([](auto& o) { o.seed = 9, o.types = "f64,bf16"; }).cases),
        texts_of(measure::draw(9, 7, {measure::find_kind("f64"), measure::find_kind("bf16")}, measure::host_limits)));
    EXPECT_EQ(texts_of(survey_with([](auto& o) { o.suite = "decode", o.types = "bf16"; }).cases),
              texts_of(measure::decoding({measure::find_kind("bf16")}, measure::host_limits)));
}

TEST(SurveyOptions, PartsHaveEachCaseOnce) {
    std::vector<std::string> all, whole = texts_of(survey_with([](auto&) {}).cases);
    for (const char* part : {"1/3", "2/3", "3/3"}) {
        const std::vector<std::string> some = texts_of(survey_with([&](auto& o) { o.shard = part; }).cases);
        EXPECT_GE(some.size(), 2u) << part;
        all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end()), std::sort(whole.begin(), whole.end());
    EXPECT_EQ(all, whole);
}

TEST(SurveyOptions, CasesAreThoseOfTheFileOnAnyShard) {
    const test::Folder folder;
    const std::string file = folder.path("cases");
    std::ofstream(file) << "# a line of words\n  \nf32 33x20x17 NT beta 0.5\nf64 8x9x10 NN\n\t# more\n";
    EXPECT_EQ(texts_of(survey_with([&](auto& o) { o.cases = file; }).cases),
              (std::vector<std::string>{"f32 33x20x17 NT beta 0.5", "f64 8x9x10 NN"}));
    EXPECT_EQ(survey_with([&](auto& o) { o.cases = file, o.shard = "2/2"; }).cases.size(), 1u);
}

}  // namespace
}  // namespace tw::cli
