// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a test may ask of the stand-in, and tell it.
#pragma once

#include <string>
#include <vector>

namespace stand_in {

struct Compiled {
    std::string source;
    bool loose_math;
    unsigned long language;
};

struct State {
    long family = 1009;  ///< the newest family that the device supports
    unsigned long most_threads = 1024;
    std::string refuse;  ///< sources with this text are not compiled
    bool gpu_fails = false;
    bool has_mps = true;  ///< MetalPerformanceShaders is on the system
    int buffers = 0;      ///< lent and not given back
    std::vector<Compiled> compiled;
    std::vector<std::string> findings;  ///< of the machine
};

State& state();

}  // namespace stand_in
