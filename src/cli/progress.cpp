// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace tw::cli {

Progress::Progress(std::string title, double whole)
    : title_(std::move(title)), whole_(whole), on_terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (has_line_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::add(double part) {
    done_ += part;
    const Clock::time_point now = Clock::now();
    if (!on_terminal_ || !(done_ > 0) || now - shown_ < std::chrono::seconds(1)) return;
    shown_ = now;
    has_line_ = true;
    const double spent = std::chrono::duration<double>(now - start_).count();
    fmt::print(stderr, "\r{}: {:.0f} % done, {} left\x1b[K", title_, 100 * done_ / whole_,
               spell_seconds(spent * (whole_ - done_) / done_));
    std::fflush(stderr);
}

std::string spell_seconds(double seconds) {
    const auto whole = static_cast<long long>(seconds + 0.5);
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
    return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

}  // namespace tw::cli
