// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Surveys as files, one shape a line, so that parts can be joined and runs compared.
#pragma once

#include <string>
#include <vector>

#include "measure/basis/machine.hpp"
#include "measure/survey/survey.hpp"

namespace tw::measure {

/// A file's data about the whole survey.
struct SurveyContext {
    Machine machine{};
    std::string command{};  ///< "tw bench --suite survey --seed 1 ..."
    std::string device{}, peer{};
};

std::string to_json(const SurveyContext& context, const std::vector<Outcome>& outcomes);

/// Reads the shapes that to_json() wrote. Throws std::runtime_error with a sentence.
std::vector<Outcome> outcomes_from_json(const std::string& text);

}  // namespace tw::measure
