// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The verbs of tw. Each has its own file, which adds the verb with its options and its function.
// A verb ends by returning (exit 0) or by throwing a Stop.
#pragma once

#include <string>
#include <vector>

#include "cli/console/verb.hpp"
#include "tilewright/effort.hpp"

namespace tw::cli {

void add_info(Verb tw);
void add_judge(Verb tw);
void add_tune(Verb tw);
void add_report(Verb tw);
void add_roofline(Verb tw);
void add_explain(Verb tw);
void add_bench(Verb tw);
void add_ladder(Verb tw);
void add_multiply(Verb tw);
void add_layout(Verb tw);
void add_metal_check(Verb tw);
void add_effort(Verb tw);

// Below tw effort.
void add_effort_curve(Verb effort);
/// Every matrix of the folder's .safetensors files whose name has none of the words of `kept`, into a new folder.
void build_checkpoint(const std::string& folder, const std::string& output, const std::vector<std::string>& kept,
                      const EffortBuild& how);
/// Refuses a device that tw effort does not run on.
void check_effort_device(const std::string& word);

}  // namespace tw::cli
