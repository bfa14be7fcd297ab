// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "cli/files/output_file.hpp"
#include "measure/clock.hpp"

namespace tw::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) { interrupts = 1; }

std::string time_left(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s left", std::ceil(seconds));
    return fmt::format("{:.0f} min left", std::ceil(seconds / 60));
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

ProgressLine::ProgressLine() : is_shown_(is_terminal(stderr)), start_(measure::now()) {}

void ProgressLine::show(const std::string& what, double done, int before, int parts) {
    const double time = measure::now();
    if (!is_shown_ || time - last_ < 0.05) return;
    last_ = time;
    const double all = (before + std::clamp(done, 0.0, 1.0)) / parts;
    std::string line = fmt::format("{:>3.0f} %  {}", 100 * all, what);
    if (all > 0.05 && time - start_ > 1) line += "  " + time_left((time - start_) * (1 - all) / all);
    line.resize(std::min<std::size_t>(line.size(), 78));
    const std::size_t width = line.size();
    line.resize(std::max(width_, width), ' ');
    width_ = width;
    std::fprintf(stderr, "\r%s", line.c_str());
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (width_ == 0) return;
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(width_), "");
    std::fflush(stderr);
    width_ = 0;
}

void note_interrupts() {
    struct sigaction action {};
    action.sa_handler = on_interrupt;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    sigaction(SIGINT, &action, nullptr);
}

bool is_interrupted() { return interrupts > 0; }

measure::Watch watch_with(ProgressLine& line, int before, int parts) {
    return {[&line, before, parts](const std::string& what, double done) { line.show(what, done, before, parts); },
            is_interrupted};
}

std::string bar(double fraction, int width) {
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width * 8));
    std::string text;
    for (int i = 0; i < filled / 8; ++i) text += "█";
    return text + eighths[filled % 8];
}

void write_file(const std::string& path, const std::string& text) {
    if (path == "-") {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return;
    }
    OutputFile file(path);
    file.write(0, text);
    file.keep();
}

void check_place_for(const std::string& path) {
    if (path.empty() || path == "-") return;
    const OutputFile made_beside(path);  // and gone again
}

}  // namespace tw::cli
