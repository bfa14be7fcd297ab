// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Limits that the operating system sets, processes that end while they compute, and many callers at once: the numbers
// are those of docs/faults.md. Each test's work is a child process, whose exit code says what became of it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#if defined(__linux__) && defined(__x86_64__)
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cstddef>
#endif

#include "base/cpu_features.hpp"
#include "support/own_program.hpp"
#include "support/sanitized.hpp"
#include "tilewright/multiply.hpp"

namespace {

using tw::test::is_sanitized;
constexpr std::int64_t n = is_sanitized ? 120 : 300;

/// Whole numbers, so that there is one right result.
struct Operands {
    std::vector<float> a, b, right;

    Operands() : a(n * n), b(n * n), right(n * n) {
        for (std::size_t i = 0; i < a.size(); ++i)
            a[i] = static_cast<float>(i % 7) - 3, b[i] = static_cast<float>(i % 5) - 2;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t p = 0; p < n; ++p)
                for (std::size_t j = 0; j < n; ++j) right[i * n + j] += a[i * n + p] * b[p * n + j];
    }
    tw::Status run(std::vector<float>& c, const tw::Options& options) const {
        return tw::try_multiply(tw::View(a.data(), n, n), tw::View(b.data(), n, n), tw::View(c.data(), n, n), options);
    }
    bool is_right(std::vector<float>& c, const tw::Options& options) const {
        std::fill(c.begin(), c.end(), -1.f);
        return run(c, options) && c == right;
    }
};

const Operands& operands() {
    static const Operands& made = *new Operands;  // never destroyed: threads read it while a process ends
    return made;
}

/// What a child makes of it; 128 and the signal's number when one ended it. It is killed when its parent has slept
/// through half a minute beside it, counted in sleeps: an alarm also counts what both of them stand still for.
template <class Work>
int exit_code_of(const Work& work) {
    operands();
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) _exit(work());
    int status = 0;
    for (int slept = 0; waitpid(child, &status, WNOHANG) == 0; usleep(1000))
        if (++slept == 30'000) kill(child, SIGKILL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

long address_space() {
    long pages = 0;
    if (std::FILE* const file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%ld", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * sysconf(_SC_PAGESIZE);
}

TEST(Failures, Fault01_ALimitOnMemoryEndsInAStatusOrTheRightResult) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer takes addresses of its own";
    for (const tw::Verify verify : {tw::Verify::off, tw::Verify::check, tw::Verify::correct})
        for (long more = 0; more < 24; ++more) {
            const int code = exit_code_of([&] {
                std::vector<float> c(n * n, 5);
                const auto most = static_cast<rlim_t>(address_space() + (more << 18));
                const rlimit limit{most, most};
                if (setrlimit(RLIMIT_AS, &limit) != 0) return 90;
                const tw::Status status = operands().run(c, {.verify = verify, .threads = 3});
                if (status) return c == operands().right ? 0 : 1;
                if (status.code != tw::Code::out_of_memory) return 2;
                return std::all_of(c.begin(), c.end(), [](float x) { return x == 5; }) ? 0 : 3;
            });
            EXPECT_EQ(code, 0) << "with " << more << " quarters of a MiB more";
        }
}

TEST(Failures, Fault02_WhenThreadsAreRefusedFewerDoTheWork) {
    const int code = exit_code_of([] {
        std::vector<float> c(n * n);
        const rlimit limit{1, 1};  // of no effect on root
        if (setrlimit(RLIMIT_NPROC, &limit) != 0 || (geteuid() == 0 && setuid(65534) != 0)) return 90;
        for (int round = 0; round < 3; ++round)
            if (!operands().is_right(c, {.threads = 8})) return 1;
        bool is_refused = false;
        try {
            std::thread([] {}).join();
        } catch (const std::system_error&) {
            is_refused = true;
        }
        return is_refused ? 0 : 91;
    });
    if (code == 91) GTEST_SKIP() << "skipped: nothing limits threads here";
    EXPECT_EQ(code, 0);
}

TEST(Failures, Fault03_ChildrenForkedWhileTwoThreadsMultiplyCanMultiply) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer's own locks don't survive a fork beside threads";
    std::atomic<bool> enough{false};
    std::atomic<int> wrong{0};
    const auto multiply_on = [&] {
        std::vector<float> c(n * n);
        while (!enough) wrong += !operands().is_right(c, {.threads = 3});
    };
    operands();
    std::thread one(multiply_on), two(multiply_on);
    for (int i = 0; i < 20; ++i) {
        std::vector<float> c(n * n);
        EXPECT_EQ(exit_code_of([&] { return operands().is_right(c, {.threads = 3}) ? 0 : 1; }), 0) << "child " << i;
    }
    enough = true;
    one.join(), two.join();
    EXPECT_EQ(wrong, 0);
}

#if defined(__linux__) && defined(__x86_64__)
/// From now on the kernel refuses tiles: arch_prctl(ARCH_REQ_XCOMP_PERM) fails, as a container's filter makes it.
bool refuse_tiles() {
    constexpr unsigned request = 0x1023;
    sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_arch_prctl, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, request, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(steps)), steps};
    constexpr int no_more_rights = 38;  // prctl: what a program that is no root must promise before it filters
    return prctl(no_more_rights, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

constexpr std::uint64_t tiles = tw::cpu_feature::amx_bf16 | tw::cpu_feature::amx_int8;

TEST(Failures, Fault05_TilesThatTheSystemRefusesAreNotUsed) {
    constexpr const char* in_the_child = "TW_TEST_TILES_REFUSED";
    if (std::getenv(in_the_child)) {
        std::vector<float> c(n * n);
        EXPECT_EQ(tw::cpu_features() & tiles, 0u);
        EXPECT_STRNE(tw::cpu_feature_refusal(tw::cpu_feature::amx_bf16), "");
        EXPECT_TRUE(operands().is_right(c, {.accuracy = tw::bf16}));
        return;
    }
    const int code = exit_code_of([&] {
        if (!refuse_tiles()) return 91;
        setenv(in_the_child, "1", 1);
        execl(tw::test::own_program().c_str(), "test_failures", "--gtest_filter=*Fault05*", "--gtest_brief=1", nullptr);
        return 90;
    });
    if (code == 91) GTEST_SKIP() << "skipped: this system filters no calls";
    EXPECT_EQ(code, 0);
}
#endif

TEST(Failures, Fault16_VariablesFullOfGarbageChangeNoResult) {
    const std::string long_one(100000, 'x');
    for (const char* name : {"TW_THREADS", "TW_KERNEL", "TW_FEATURES", "TW_STORE", "TW_LOG"})
        for (const std::string& garbage :
             {std::string("abc"), std::string("-1"), std::string("99999999999999999999"),
              std::string("\x01\xff\x7f,,=%n%s"), std::string("/dev/zero"), std::string(","), long_one}) {
            const int code = exit_code_of([&] {
                setenv("TW_TEST_GARBAGE", "1", 1), setenv(name, garbage.c_str(), 1);
                if (!std::freopen("/dev/null", "w", stderr)) return 91;
                execl(tw::test::own_program().c_str(), "test_failures", "--gtest_filter=*InAnOddEnvironment*",
                      "--gtest_brief=1", nullptr);
                return 90;
            });
            EXPECT_EQ(code, 0) << name << " = '" << garbage.substr(0, 30) << "'";
        }
}

TEST(Failures, InAnOddEnvironmentAProductIsRightOrAKernelIsMissing) {
    std::vector<float> c(n * n, 5);
    const tw::Status status = operands().run(c, {});
    const bool names_no_kernel = std::getenv("TW_TEST_GARBAGE") && std::getenv("TW_KERNEL");
    if (names_no_kernel && !status) EXPECT_EQ(status.code, tw::Code::unsupported) << status.text;
    else EXPECT_EQ(c, operands().right) << status.text;
}

TEST(Failures, Fault22_AProcessMayExitWhileItsThreadsCompute) {
    if (is_sanitized) GTEST_SKIP() << "skipped: a sanitizer looks for leaks of threads that were never joined";
    for (int i = 0; i < 50; ++i) {
        const int code = exit_code_of([i] {
            static std::atomic<int> begun{0};
            for (int t = 0; t < 3; ++t)
                std::thread([] {
                    static thread_local std::vector<float> c(n * n);
                    for (++begun;;) (void)operands().run(c, {.threads = 2});
                }).detach();
            while (begun < 3) std::this_thread::yield();
            usleep(static_cast<useconds_t>(i * 100));
            std::exit(0);  // destructors of static objects run, and threads go on meanwhile
            return 1;
        });
        EXPECT_EQ(code, 0) << "child " << i;
    }
}

TEST(Failures, Fault23_SixtyFourCallersGetTheSameBits) {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    operands();
    for (int t = 0; t < 64; ++t)
        callers.emplace_back([&, t] {
            std::vector<float> c(n * n);
            for (int round = 0; round < 3; ++round) wrong += !operands().is_right(c, {.threads = 1 + t % 5});
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
