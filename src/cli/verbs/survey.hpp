// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <string>
#include <vector>

#include "cli/console/verb.hpp"
#include "measure/survey/survey.hpp"

namespace tw::cli {

/// The options of tw bench for a survey.
struct SurveyArguments {
    std::string suite, types, shard = "1/1", cases, device, json, peers, baseline;
    std::vector<std::string> from;
    int seed = 1, count = 400, threads = 0;
    bool with_peers = false, is_reproducible = false;
};

void add_survey_options(const Verb& verb, SurveyArguments& asked);

/// "survey" and "decode".
bool is_survey(const std::string& suite);

/// What is measured for them; refuses what can't be.
measure::Survey survey_of(const SurveyArguments& asked);

void run_survey(const SurveyArguments& asked);

}  // namespace tw::cli
