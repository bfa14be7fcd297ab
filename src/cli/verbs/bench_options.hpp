// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The options of tw bench, and the benchmark that they describe.
#pragma once

#include <string>
#include <vector>

#include "cli/console/verb.hpp"
#include "cli/verbs/survey.hpp"
#include "measure/bench.hpp"

namespace tw::cli {

struct BenchOptions {
    std::string what, m, n, k, suite, type = "f32", accuracy = "auto", device = "cpu", peers, json, csv, markdown,
                                      baseline;
    std::vector<std::string> kernels;
    SurveyArguments survey;
    double seconds = 3, relative_error = 0;
    int threads = 0, batch = 0, callers = 0;
    bool with_peers = false, is_cold = false, is_hot = false, is_unverified = false, no_history = false,
         is_reproducible = false, is_scaling = false;
};

/// Adds the options to the verb, which writes them to `options`. Returns --peers, whose list may be left out.
Option add_bench_options(const Verb& verb, BenchOptions& options);

/// Refuses options that exclude each other. Does not look for peers and backend yet: first all options are checked.
measure::Bench bench_of(const BenchOptions& options);

/// The peers that --peers lists; empty: all that are found.
std::vector<std::string> peers_of(const BenchOptions& options);

/// A survey draws its own shapes and times them in its own way: refuses options that contradict that.
SurveyArguments survey_of(const BenchOptions& options);

}  // namespace tw::cli
