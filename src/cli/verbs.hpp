// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The verbs of tw: each lives in a file of its own, adds its subcommand here and runs as that subcommand's callback.
// A verb ends by returning (exit 0) or by throwing a Stop.
#pragma once

#include <CLI/CLI.hpp>

namespace tw::cli {

void add_info(CLI::App& tw);
void add_tune(CLI::App& tw);
void add_report(CLI::App& tw);
void add_roofline(CLI::App& tw);
void add_explain(CLI::App& tw);
void add_bench(CLI::App& tw);
void add_ladder(CLI::App& tw);
void add_multiply(CLI::App& tw);
void add_layout(CLI::App& tw);
void add_metal_check(CLI::App& tw);

}  // namespace tw::cli
