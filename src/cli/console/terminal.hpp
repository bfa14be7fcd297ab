// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What long measurements owe the person in front of them: progress with the time left, bars, and Ctrl-C that keeps
// what was measured. Into a pipe goes plain text.
#pragma once

#include <cstdio>
#include <string>

#include "measure/turns/rounds.hpp"

namespace tw::cli {

bool is_terminal(std::FILE* stream);

/// How wide a terminal is; 80 where it does not say.
int columns_of(std::FILE* terminal);

/// A line on the terminal that tells what is going on; nothing when standard error is not a terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `done` of this part, from 0 to 1; the parts before it count `before` of `parts` in all.
    void show(const std::string& what, double done, int before = 0, int parts = 1);
    void clear();

private:
    bool is_shown_;
    double start_, last_ = 0;
    std::size_t width_ = 0;
};

/// From now on the first Ctrl-C raises a flag, and the second ends the program.
void note_interrupts();
bool is_interrupted();

/// Progress and interrupts as measure wants them; the line outlives the watch.
measure::Watch watch_with(ProgressLine& line, int before = 0, int parts = 1);

/// Of `width` cells, filled from the left to `fraction`: by eighths of a cell, or by # on a terminal that is not told
/// UTF-8.
std::string bar(double fraction, int width);

/// Writes beside and renames, so that a file is whole or is the one from before. Throws a Stop when it can't.
void write_file(const std::string& path, const std::string& text);

/// Before a long measurement: throws the Stop with which write_file() would end it. Nothing is asked of "" and "-".
void check_place_for(const std::string& path);

/// The same of the tuning store: its folder is made, and what is there must be a store.
void check_store(const std::string& path);

}  // namespace tw::cli
