// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Output of long measurements: progress with the time left, bars, and a Ctrl-C that keeps what was measured. A pipe
// gets plain text.
#pragma once

#include <cstdio>
#include <string>

#include "measure/turns/rounds.hpp"

namespace tw::cli {

bool is_terminal(std::FILE* stream);

/// The terminal's width; 80 if it is not known.
int columns_of(std::FILE* terminal);

/// A progress line on the terminal; it does nothing when standard error is not a terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// `done`: the progress of this part, from 0 to 1, after `before` of `parts` parts.
    void show(const std::string& what, double done, int before = 0, int parts = 1);
    void clear();

private:
    bool is_shown_;
    double start_, last_ = 0;
    std::size_t width_ = 0;
};

/// From now on the first Ctrl-C sets a flag, and the second ends the program.
void note_interrupts();
bool is_interrupted();

/// Progress and interrupts for measure. The line must outlive the watch.
measure::Watch watch_with(ProgressLine& line, int before = 0, int parts = 1);

/// A bar of `width` cells, filled from the left to `fraction`: by eighths of a cell, or by # without UTF-8.
std::string bar(double fraction, int width);

/// Writes a temporary file and renames it, so that the file is always whole, old or new. Throws a Stop when it can't.
void write_file(const std::string& path, const std::string& text);

/// Called before a long measurement: throws the Stop that write_file() would throw after it. Ignores "" and "-".
void check_place_for(const std::string& path);

/// The same for the tuning store: makes its folder, and refuses a file that is not a store.
void check_store(const std::string& path);

}  // namespace tw::cli
