// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "cli/console/terminal.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

/// Standard error is a terminal of so many columns for as long as this lives.
class OnTerminal {
public:
    explicit OnTerminal(unsigned short columns) : reader_(posix_openpt(O_RDWR | O_NOCTTY)), before_(dup(2)) {
        const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
        if (reader_ < 0 || grantpt(reader_) != 0 || unlockpt(reader_) != 0) return;
        writer_ = open(ptsname(reader_), O_RDWR | O_NOCTTY);
        termios raw{};
        is_there_ = writer_ >= 0 && ioctl(writer_, TIOCSWINSZ, &size) == 0 && tcgetattr(writer_, &raw) == 0;
        if (!is_there_) return;
        cfmakeraw(&raw);
        is_there_ = tcsetattr(writer_, TCSANOW, &raw) == 0 && dup2(writer_, 2) == 2;
    }
    ~OnTerminal() {
        dup2(before_, 2);
        for (const int each : {writer_, before_, reader_}) close(each);
    }
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    bool is_there() const { return is_there_; }
    /// What has been written since it was asked last.
    std::string said() const {
        char text[4096];
        const ssize_t got = read(reader_, text, sizeof text);
        return got > 0 ? std::string(text, static_cast<std::size_t>(got)) : "";
    }

private:
    int reader_, writer_ = -1, before_;
    bool is_there_ = false;
};

void wait_for_the_next_look() { std::this_thread::sleep_for(std::chrono::milliseconds(60)); }

TEST(ProgressLine, CoversWhatALongerOneLeft) {
    const OnTerminal terminal(80);
    if (!terminal.is_there()) GTEST_SKIP() << "skipped: no terminal can be had here";
    tw::cli::ProgressLine line;
    line.show("a kernel with a long name", 0.01);
    EXPECT_EQ(terminal.said(), "\r  1 %  a kernel with a long name");
    wait_for_the_next_look();
    line.show("short", 0.02);
    EXPECT_EQ(terminal.said(), "\r  2 %  short" + std::string(20, ' '));
    wait_for_the_next_look();
    line.show("s", 0.03);
    EXPECT_EQ(terminal.said(), "\r  3 %  s    ") << "as much as the last one showed";
    line.clear();
    EXPECT_EQ(terminal.said(), "\r" + std::string(8, ' ') + "\r");
}

TEST(ProgressLine, IsCutToTheTerminalAndTellsTheWhole) {
    const OnTerminal terminal(20);
    if (!terminal.is_there()) GTEST_SKIP() << "skipped: no terminal can be had here";
    tw::cli::ProgressLine line;
    line.show("a kernel with a long name", 0.5, 1, 4);
    EXPECT_EQ(terminal.said(), "\r 38 %  a kernel wi") << "half of the second of four parts, two columns left free";
    wait_for_the_next_look();
    line.show("s", 7);
    EXPECT_EQ(terminal.said(), "\r100 %  s" + std::string(10, ' '));
    line.clear();
}

}  // namespace
