// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Rules 23 to 25, 28 to 30 and 32: threads, forks, small stacks, refused features, unloading.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <span>
#include <thread>

#include "base/cpu_features.hpp"
#include "rooms/multiply/each_row.hpp"

namespace rules {
namespace {

template <class T>
class Threads : public EachRow<T> {};
TYPED_TEST_SUITE(Threads, Types);

TYPED_TEST(Threads, Rule23_AnyThreadCountGivesTheSameBits) {
    constexpr int counts[] = {2, 3, 8, 4, 5, 6, 7, -1, INT_MIN, INT_MAX};
    for (const auto& row : rows<TypeParam>())
        for (const auto& [m, n, k] :
             {std::array<std::int64_t, 3>{150, 170 / shrink, 300}, {1, 700, 90}, {700, 3, 64}}) {
            if (!tw::test::has_its_turn(2)) continue;
            Product<TypeParam> alone(m, n, k), many(m, n, k);
            alone.run(row, {.threads = 1});
            for (const int threads : std::span(counts).first(shrink > 1 ? 3 : std::size(counts))) {
                many.run(row, {.threads = threads});
                ASSERT_TRUE(same_bits(alone.c, many.c)) << row << " with " << threads << " threads";
            }
        }
}

TYPED_TEST(Threads, Rule24_ConcurrentCallersAndCallsFromTasksGetTheSameBits) {
    for (const auto& row : rows<TypeParam>()) {
        Product<TypeParam> alone(96, 96, 96);
        alone.run(row);
        std::atomic<int> wrong{0};
        std::vector<std::thread> callers;
        for (int i = 0; i < 8; ++i)
            callers.emplace_back([&] {
                for (int round = 0; round < 4; ++round) {
                    Product<TypeParam> mine(96, 96, 96);
                    mine.run(row, {.threads = 3});
                    wrong += !same_bits(alone.c, mine.c);
                }
            });
        for (std::thread& caller : callers) caller.join();
        EXPECT_EQ(wrong, 0) << row;
    }
}

/// Runs its tasks after products of its own, on the thread that waits for them: so does whoever steals work while it
/// waits.
struct Thief {
    static void run(void* self, int tasks, void (*task)(void*, int), void* context) {
        for (int i = 0; i < tasks; ++i) {
            static_cast<Thief*>(self)->steal();
            task(context, i);
        }
    }
    void steal() {
        for (const int size : {30, 400}) {
            std::vector<float> ones(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 1), c(ones.size());
            const tw::View<float> all(ones.data(), size, size);
            tw::multiply(all, all, tw::View<float>(c.data(), size, size), {.threads = 1, .kernel = "r7_hierarchical"});
            wrong += c.front() != static_cast<float>(size);
        }
    }
    int wrong = 0;
};

TYPED_TEST(Threads, Rule24_SoDoCallsWhileAnExecutorWaits) {
    for (const auto& row : rows<TypeParam>()) {
        if (!tw::test::has_its_turn(2)) continue;
        Product<TypeParam> p(150, 170, 190);
        p.run(row);
        Thief thief;
        const tw::Executor executor{&thief, Thief::run};
        std::vector<TypeParam> c(p.c.size());
        tw::multiply(p.av(), p.bv(), tw::View(c.data(), 150, 170),
                     {.threads = 3, .executor = &executor, .kernel = row});
        EXPECT_TRUE(same_bits(c, p.c)) << row;
        EXPECT_EQ(thief.wrong, 0) << row;
    }
}

TYPED_TEST(Threads, Rule25_AChildAfterForkMultiplies) {
    Product<TypeParam> before(200, 200, 200);
    before.run("", {.threads = 4});
    const pid_t child = fork();
    if (child == 0) {
        alarm(30);
        Product<TypeParam> after(200, 200, 200);
        after.run("", {.threads = 4});
        _exit(same_bits(before.c, after.c) ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TYPED_TEST(Threads, Rule28_Fault04_AStackOf128KiBIsEnough) {
    struct Work {
        static void* run(void*) {
            for (const auto& row : rows<TypeParam>()) {
                Product<TypeParam> p(130, 130, 400);
                p.run(row, {.verify = true});
            }
            return nullptr;
        }
    };
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 128 << 10), 0);
    pthread_t thread;
    if (tw::test::is_sanitized) GTEST_SKIP() << "skipped: sanitizers need stacks of their own size";
    ASSERT_EQ(pthread_create(&thread, &attributes, Work::run, nullptr), 0);
    EXPECT_EQ(pthread_join(thread, nullptr), 0);
    pthread_attr_destroy(&attributes);
}

TEST(Features, Rule29_30_Fault05_WhatIsRefusedSaysWhyAndIsNotUsed) {
    for (std::uint64_t bit :
         {tw::cpu_feature::avx2, tw::cpu_feature::avx512, tw::cpu_feature::amx_bf16, tw::cpu_feature::amx_int8}) {
        const bool used = (tw::cpu_features() & bit) != 0;
        EXPECT_EQ(used, *tw::cpu_feature_refusal(bit) == '\0');
    }
    EXPECT_EQ(tw::cpu_features() & ~tw::cpu_features_unmasked(), 0u) << "a mask can only take away";
}

}  // namespace
}  // namespace rules
