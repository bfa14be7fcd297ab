// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/console/terminal.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "base/environment.hpp"
#include "cli/ending/exit.hpp"
#include "cli/files/output_file.hpp"
#include "measure/basis/clock.hpp"
#include "plan/store.hpp"

namespace tw::cli {
namespace {

volatile std::sig_atomic_t interrupts = 0;

void on_interrupt(int) { interrupts = 1; }

std::string time_left(double seconds) {
    if (seconds < 90) return fmt::format("{:.0f} s left", std::ceil(seconds));
    return fmt::format("{:.0f} min left", std::ceil(seconds / 60));
}

/// By the first of the variables that is set, as the C library decides.
bool is_utf8_wanted() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = environment(name)) {
            const std::string_view locale = value;
            return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos;
        }
    return false;
}

}  // namespace

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) != 0; }

int columns_of(std::FILE* terminal) {
    winsize size{};
    return ioctl(fileno(terminal), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

ProgressLine::ProgressLine() : is_shown_(is_terminal(stderr)), start_(measure::now()) {}

void ProgressLine::show(const std::string& what, double done, int before, int parts) {
    const double time = measure::now();
    if (!is_shown_ || time - last_ < 0.05) return;
    last_ = time;
    const double all = (before + std::clamp(done, 0.0, 1.0)) / parts;
    std::string line = fmt::format("{:>3.0f} %  {}", 100 * all, what);
    if (all > 0.05 && time - start_ > 1) line += "  " + time_left((time - start_) * (1 - all) / all);
    line.resize(std::min(line.size(), static_cast<std::size_t>(std::max(1, columns_of(stderr) - 2))));
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
    struct sigaction action{};
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
    if (is_terminal(stdout) && !is_utf8_wanted()) return std::string(static_cast<std::size_t>(filled / 8), '#');
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

void check_store(const std::string& path) {
    const std::string trouble = add_to_store(path, store_key(), {});
    if (!trouble.empty()) refuse("{}", trouble);
}

}  // namespace tw::cli
