// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/threads.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/cores.hpp"
#include "support/sanitized.hpp"

namespace {

/// Counts how often each task runs. It never allocates: forked children use it, and an allocator's locks, a sanitizer's
/// for one, may be held in them for ever.
struct Tally {
    explicit Tally(int tasks) : expected(tasks) {}
    static void task(void* self, int index) { ++static_cast<Tally*>(self)->counts[index]; }
    bool each_ran_once() const {
        for (int i = 0; i < most; ++i)
            if (counts[i] != (i < expected ? 1 : 0)) return false;
        return true;
    }
    static constexpr int most = 1000;
    int expected;
    std::atomic<int> counts[most]{};
};

bool runs_each_task_once(int threads, int tasks) {
    Tally tally(tasks);
    tw::run_tasks(nullptr, threads, tasks, Tally::task, &tally);
    return tally.each_ran_once();
}

TEST(Threads, EachTaskRunsOnceWhateverTheirNumber) {
    for (int threads : {1, 2, 3, 8, 40})
        for (int tasks : {0, 1, 2, 7, 64, 1000})
            EXPECT_TRUE(runs_each_task_once(threads, tasks)) << threads << ' ' << tasks;
}

/// As many tasks as threads, each of which waits for all others: a thread that comes has one of its own.
TEST(Threads, EachHasATaskOfItsOwnIfItComesInTime) {
    struct Round {
        std::atomic<int> begun{0};
        std::atomic<const void*> by[4]{};
        static void task(void* self, int index) {
            static thread_local char own;
            auto& round = *static_cast<Round*>(self);
            round.by[index] = &own;
            for (++round.begun; round.begun < 4;) usleep(100);
        }
    };
    const void* before[4]{};
    for (int time = 0; time < 5; ++time) {
        Round round;
        tw::run_tasks(nullptr, 4, 4, Round::task, &round);
        for (int i = 0; i < 4; ++i)
            for (int other = 0; other < i; ++other) EXPECT_NE(round.by[i], round.by[other]);
        if (time > 0) {
            EXPECT_EQ(round.by[0], before[0]) << "the caller";
        }
        std::copy(std::begin(round.by), std::end(round.by), before);
    }
}

TEST(Threads, ManyShortRoundsLoseNoTask) {
    constexpr int rounds = tw::test::is_sanitized ? 1000 : 20000;  // each waits in a loop that is watched
    for (int round = 0; round < rounds; ++round)
        ASSERT_TRUE(runs_each_task_once(2 + round % 3, 1 + round % 9)) << round;
}

TEST(Threads, ConcurrentCallersEachGetTheirWorkDone) {
    std::atomic<int> failures{0};
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i)
        callers.emplace_back([&] {
            for (int round = 0; round < 500; ++round)
                if (!runs_each_task_once(4, 16)) ++failures;
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(failures, 0);
}

TEST(Threads, ATaskMayStartTasks) {
    std::atomic<int> ran{0};
    tw::run_tasks(
        nullptr, 4, 8,
        [](void* outer, int) {
            tw::run_tasks(nullptr, 4, 8, [](void* inner, int) { ++*static_cast<std::atomic<int>*>(inner); }, outer);
        },
        &ran);
    EXPECT_EQ(ran, 64);
}

TEST(Threads, AChildAfterForkHasAPoolOfItsOwn) {
    ASSERT_TRUE(runs_each_task_once(4, 64));
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        _exit(runs_each_task_once(4, 64) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Threads, ForkWhileAnotherThreadHoldsThePool) {
    ASSERT_TRUE(runs_each_task_once(3, 32)) << "the workers are made before the first fork";
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop) runs_each_task_once(3, 32);
    });
    int good = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            _exit(runs_each_task_once(4, 64) ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    stop = true;
    busy.join();
    EXPECT_EQ(good, 20);
}

/// Two tasks that both wait until the other has begun: only two threads can do them.
bool two_threads_meet() {
    std::atomic<int> begun{0};
    tw::run_tasks(
        nullptr, 2, 2,
        [](void* context, int) {
            auto& count = *static_cast<std::atomic<int>*>(context);
            ++count;
            while (count < 2) usleep(100);
        },
        &begun);
    return begun == 2;
}

TEST(Threads, AChildAfterForkHasMoreThanOneThread) {
    ASSERT_TRUE(two_threads_meet());
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);  // ends a child whose pool counts on the parent's workers
        _exit(two_threads_meet() ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// By arithmetic: fegetround() speaks of the x87 unit, which no product uses.
bool rounds_to_nearest() {
    volatile float one = 1, little = 0x1p-25f;
    const volatile float sum = one + little;
    return sum == 1;
}

TEST(Threads, AnExecutorsTasksRunInTheIeeeMode) {
    const tw::Executor executor{nullptr, [](void*, int tasks, void (*task)(void*, int), void* context) {
                                    std::fesetround(FE_UPWARD);
                                    for (int i = 0; i < tasks; ++i) task(context, i);
                                    EXPECT_FALSE(rounds_to_nearest()) << "the executor's own mode is back";
                                    std::fesetround(FE_TONEAREST);
                                }};
    int nearest = 0;
    tw::run_tasks(
        &executor, 1, 3, [](void* count, int) { *static_cast<int*>(count) += rounds_to_nearest(); }, &nearest);
    EXPECT_EQ(nearest, 3);
}

bool in_parallel_region = false;

TEST(Threads, InsideAnOpenMpRegionThereIsOne) {
    in_parallel_region = true;
    EXPECT_EQ(tw::default_threads(), 1);
    in_parallel_region = false;
    EXPECT_GE(tw::default_threads(), 1);
}

TEST(Threads, AnExecutorOfTheCallersDoesTheWork) {
    int calls = 0;
    const tw::Executor executor{&calls, [](void* self, int tasks, void (*task)(void*, int), void* context) {
                                    ++*static_cast<int*>(self);
                                    for (int i = tasks; i-- > 0;) task(context, i);
                                }};
    Tally tally(10);
    tw::run_tasks(&executor, 4, 10, Tally::task, &tally);
    EXPECT_TRUE(tally.each_ran_once());
    EXPECT_EQ(calls, 1);
}

int threads_of_this_process() {
    int count = 0;
    for ([[maybe_unused]] const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) ++count;
    return count;
}

TEST(Threads, AreNoMoreThanTheProcessorsHoweverManyAreAskedFor) {
    const int before = threads_of_this_process();
    ASSERT_TRUE(runs_each_task_once(1'000'000, 1000));
    EXPECT_LE(threads_of_this_process(), before + std::max(8, tw::allowed_processors()));
}

/// How often a thread of the process went to sleep.
long sleeps() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
}

TEST(Threads, OnlyThoseThatAreToHelpWakeUp) {
    ASSERT_TRUE(runs_each_task_once(8, 64)) << "seven workers from now on";
    constexpr int rounds = 50;
    const auto rest = [] { std::this_thread::sleep_for(std::chrono::milliseconds(4)); };  // until they sleep again
    rest();
    const long before = sleeps();
    for (int round = 0; round < rounds; ++round) {
        ASSERT_TRUE(runs_each_task_once(2, 2));
        rest();
    }
    // The caller's rest, the helper's, and one that the caller may take until the helper is done.
    EXPECT_LE(sleeps() - before, 4 * rounds);
}

TEST(Threads, LeaveSignalsToTheProgram) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);
        if (!runs_each_task_once(4, 64)) _exit(1);
        sigset_t wanted;
        sigemptyset(&wanted);
        sigaddset(&wanted, SIGTERM);
        sigprocmask(SIG_BLOCK, &wanted, nullptr);
        kill(getpid(), SIGTERM);  // which a worker would take, and the process would end
        usleep(20'000);
        int got = 0;
        _exit(sigwait(&wanted, &got) == 0 && got == SIGTERM ? 0 : 2);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status) << " ended it";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Cores, AreCountedSanely) {
    EXPECT_GE(tw::physical_cores(), 1);
    EXPECT_LE(tw::physical_cores(), tw::allowed_processors());
    EXPECT_GE(tw::quota_processors(), 0);
    EXPECT_GE(tw::default_threads(), 1);
    EXPECT_LE(tw::default_threads(), tw::allowed_processors());
}

}  // namespace

/// What OpenMP's runtime would answer: the library asks for it by a weak symbol.
extern "C" __attribute__((visibility("default"))) int omp_in_parallel() { return in_parallel_region; }
