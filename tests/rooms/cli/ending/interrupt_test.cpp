// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// tw multiply, ended from outside at any moment: the output is the old one or the new one, never a mixture.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <random>

#include "cli/ending/interrupt.hpp"
#include "rooms/cli/files/npy_bytes.hpp"
#include "rooms/cli/run_tw.hpp"

namespace {

using tw::test::Folder;
using tw::test::is_sanitized;
using tw::test::read_file;
using tw::test::write_file;

bool is_part(const std::string& name) { return name.find(".part") != std::string::npos; }

/// True when the process has a file of the folder open that has no name.
bool has_nameless_file(pid_t process, const Folder& folder) {
    std::error_code gone;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone)) {
        const std::string target = std::filesystem::read_symlink(entry, gone).string();
        if (target.starts_with(folder.root() + "/") && target.ends_with(" (deleted)")) return true;
    }
    return false;
}

/// Waits until tw writes its output, with a name beside it or without: from then on its operands are open.
bool has_begun(pid_t process, const Folder& folder) {
    for (int i = 0; i < 3000; ++i, usleep(10000)) {
        const auto names = folder.names();
        if (std::any_of(names.begin(), names.end(), is_part) || has_nameless_file(process, folder)) return true;
    }
    return false;
}

class Interrupted : public testing::Test {
protected:
    Folder folder;
    const std::string a = folder.path("a.npy"), c = folder.path("c.npy");

    /// A product that takes many seconds, running.
    pid_t start_long_one() const {
        constexpr std::size_t n = 2000;
        write_file(a, tw::test::npy_file<float>("<f4", "(2000, 2000)", std::vector<float>(n * n)));
        write_file(c, "old");
        const pid_t child = tw::test::start_tw({"multiply", a, a, "-o", c, "--kernel", "naive", "--threads", "1"});
        EXPECT_TRUE(has_begun(child, folder));
        return child;
    }

    void expect_old_alone() const {
        EXPECT_EQ(read_file(c), "old");
        EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.npy", "c.npy"}));
    }
};

/// The code that a process exits with; 0 where a signal has ended it, which leaves what is to be removed.
int exit_code_of(pid_t child) {
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

TEST_F(Interrupted, Fault21_CtrlCEndsItWith130AndLeavesNothing) {
    const pid_t child = start_long_one();
    kill(child, SIGINT);
    EXPECT_EQ(exit_code_of(child), 130);
    expect_old_alone();
}

TEST_F(Interrupted, Fault21_BeingAskedToEndIs143) {
    const pid_t child = start_long_one();
    kill(child, SIGTERM);
    EXPECT_EQ(exit_code_of(child), 143);
    expect_old_alone();
}

/// In a process of its own: what `prepare` does, and then the signal.
template <class Prepare>
int code_after(int signal_number, Prepare prepare) {
    const pid_t child = fork();
    if (child == 0) {
        signal(signal_number, SIG_DFL);
        prepare();
        raise(signal_number);
        _exit(7);
    }
    return exit_code_of(child);
}

TEST_F(Interrupted, WhatIsDoomedIsRemovedAndNothingElse) {
    using tw::cli::catch_interrupts, tw::cli::remove_on_interrupt;
    const std::string other = folder.path("other"), too_long = folder.root() + "/" + std::string(PATH_MAX, 'x');
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        write_file(a, "a"), write_file(other, "other");
        const int ended = 128 + number;
        EXPECT_EQ(code_after(number, [&] { catch_interrupts(), remove_on_interrupt(a.c_str()); }), ended);
        EXPECT_EQ(folder.names(), std::vector<std::string>{"other"});
        const auto keeps = [&](const char* then) {
            EXPECT_EQ(code_after(number,
                                 [&] {
                                     catch_interrupts();
                                     remove_on_interrupt(other.c_str());
                                     remove_on_interrupt(then);
                                 }),
                      ended);
            EXPECT_EQ(folder.names(), std::vector<std::string>{"other"});
        };
        keeps(nullptr), keeps(too_long.c_str());
        const int ignored = code_after(number, [&] {
            signal(number, SIG_IGN);
            catch_interrupts(), remove_on_interrupt(other.c_str());
        });
        EXPECT_EQ(ignored, 7) << "what the caller of the program ignores is ignored";
        const int held = code_after(number, [&] {
            catch_interrupts(), remove_on_interrupt(other.c_str());
            const tw::cli::HoldInterrupts hold;
            raise(number);
            remove_on_interrupt(nullptr);
        });
        EXPECT_EQ(held, ended);
        EXPECT_EQ(folder.names(), std::vector<std::string>{"other"}) << "held until nothing is doomed";
    }
    EXPECT_EQ(code_after(SIGXFSZ, [] { catch_interrupts(); }), 7) << "a file's limit is an error of write()";
}

TEST_F(Interrupted, AnOperandCutShortMeanwhileIsRefused) {
    constexpr std::size_t n = 700;
    write_file(a, tw::test::npy_file<float>("<f4", "(700, 700)", std::vector<float>(n * n)));
    write_file(c, "old");
    const pid_t child = tw::test::start_tw({"multiply", a, a, "-o", c, "--kernel", "naive", "--threads", "1"});
    ASSERT_TRUE(has_begun(child, folder));
    ASSERT_EQ(truncate(a.c_str(), 1000), 0);
    EXPECT_EQ(tw::test::wait_for(child), 2);
    expect_old_alone();
}

#if defined(O_TMPFILE)
TEST_F(Interrupted, AKillLeavesNothingWhereAFileNeedsNoName) {
    const int nameless = open(folder.root().c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
    if (nameless < 0) GTEST_SKIP() << "this file system makes no file without a name";
    close(nameless);
    const pid_t child = start_long_one();
    kill(child, SIGKILL);
    EXPECT_EQ(tw::test::wait_for(child), 128 + SIGKILL);
    expect_old_alone();
}
#endif

// Each run writes another multiple of one outer product, and is killed somewhere on its way.
TEST_F(Interrupted, Fault13_KilledAnywhereLeavesOneOrTheOther) {
    constexpr std::size_t n = 512;
    const auto product = [&](float alpha) {
        return tw::test::npy_file<float>("<f4", "(512, 512)", std::vector<float>(n * n, alpha));
    };
    write_file(a, tw::test::npy_file<float>("<f4", "(512, 1)", std::vector<float>(n, 1)));
    write_file(c, product(0));
    std::mt19937 random(20260101);
    int killed = 0, replaced = 0;
    double longest = is_sanitized ? 0.25 : 0.004;  // seconds until the kill: about half of the runs end by themselves
    std::string before = product(0);
    const int runs = is_sanitized ? 60 : 100, enough = runs / 10;
    for (int run = 1; run <= runs; ++run) {
        const auto alpha = static_cast<float>(run);
        const pid_t child =
            tw::test::start_tw({"multiply", a, a, "--transpose-b", "-o", c, "--alpha", std::to_string(run)});
        usleep(static_cast<useconds_t>(1e6 * longest * std::generate_canonical<double, 32>(random)));
        kill(child, SIGKILL);
        const bool was_killed = tw::test::wait_for(child) == 128 + SIGKILL;
        killed += was_killed;
        longest *= was_killed ? 1.1 : 0.9;  // it adapts
        const std::string now = read_file(c), expected = product(alpha);
        ASSERT_TRUE(now == before || now == expected)
            << "run " << run << " left a mixture of " << now.size() << " bytes";
        ASSERT_TRUE(was_killed || now == expected) << "run " << run << " ended and left the old output";
        replaced += now == expected;
        before = now;
        for (const std::string& name : folder.names())
            if (is_part(name))
                unlink(folder.path(name).c_str());  // what kill -9 leaves of a file that has its name but not its place
    }
    EXPECT_GE(killed, enough);
    EXPECT_GE(replaced, enough);
}

}  // namespace
