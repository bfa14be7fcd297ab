// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The summary of a survey: for each kind the shares at or above 0.95 and 0.80 of the peer and the geometric mean, then
// the worst shapes.
#pragma once

#include <string>
#include <vector>

#include "measure/survey/survey.hpp"

namespace tw::measure {

/// Summary of the outcomes of one kind or family that have a ratio.
struct Line {
    std::string name{};
    std::int64_t count = 0;
    double at_97 = 0, at_95 = 0, at_90 = 0, at_80 = 0;  ///< shares at or above, from 0 to 1
    double geometric_mean = 0, least = 0;
};

std::vector<Line> lines_by_kind(const std::vector<Outcome>& outcomes);

/// The families of one kind.
std::vector<Line> lines_by_family(const std::vector<Outcome>& outcomes, const std::string& kind);

/// One shape: "bf16  16x14336x4096 NT  g  0.97  31.2  32.1 us  ...".
std::string line_of(const Outcome& outcome);

/// All of it: the table of kinds, the table of families (or of layers and tokens for decoding), the twenty worst
/// shapes, and those that failed.
std::string table_of(const std::vector<Outcome>& outcomes);

}  // namespace tw::measure
