// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <chrono>
#include <string>

namespace tw::cli {

/// How far long work is and how much time is left: one line that is rewritten, on a terminal only, after the first second.
class Progress {
public:
    Progress(std::string title, double whole);
    ~Progress();  ///< wipes the line
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void add(double part);

private:
    using Clock = std::chrono::steady_clock;

    std::string title_;
    double whole_, done_ = 0;
    Clock::time_point start_ = Clock::now(), shown_ = start_;
    bool on_terminal_, has_line_ = false;
};

/// "4 s", "3 min 20 s", "2 h 5 min".
std::string spell_seconds(double seconds);

}  // namespace tw::cli
