// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a figure depends on: the machine, its load and clock, and the versions of what ran.
#pragma once

#include <string>
#include <vector>

namespace tw::measure {

struct Machine {
    std::string host;
    std::string processor;              ///< "AMD EPYC", as the operating system names it
    std::string system;                 ///< "Linux 6.1.0 x86_64"
    std::vector<std::string> features;  ///< in use
    int processors = 1;                 ///< that this process may run on
    int cores = 1;                      ///< behind them
    int quota = 0;                      ///< of the control group, in processors; 0: none
    double memory_gib = 0;
    std::string governor;  ///< "" when the system does not say
    double load[3] = {0, 0, 0};
    std::string date;     ///< ISO 8601 with the offset from UTC
    std::string version;  ///< of tilewright
    std::string compiler;
    bool has_speed = true;  ///< false in a Debug build: its figures mean little
    std::string variables;  ///< the TW_* variables that are set, "NAME=value ..."
};

Machine this_machine();

/// Differs when old figures and tuned choices may no longer hold: by processor, features in use and threads allowed.
std::string machine_key(const Machine& machine);

}  // namespace tw::measure
