// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One product on all devices of a host: devices are played by a function that multiplies on the CPU.
#include "multiply/all_devices.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "plan/registry.hpp"
#include "support/random_numbers.hpp"
#include "tilewright/plan.hpp"

namespace {

using namespace tw;

/// What the played devices saw, and which of them fail.
struct Played {
    std::mutex lock;
    std::set<std::string> devices;
    std::set<std::thread::id> threads;
    std::set<int> threads_each;
    std::set<std::string> failing;
    std::latch* in_turn = nullptr;  ///< "two" fails first, and only then "one"
} played;

Status play(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options, const Sharing&) noexcept {
    const std::string device(options.device);
    {
        const std::lock_guard hold(played.lock);
        played.devices.insert(device);
        played.threads.insert(std::this_thread::get_id());
        played.threads_each.insert(options.threads);
    }
    if (played.in_turn && device == "fake:1") played.in_turn->wait();
    const Status failed{Code::device_failed, Argument::none, device == "fake:2" ? "two" : "one"};
    if (played.failing.contains(device)) {
        if (played.in_turn && device == "fake:2") {
            // The failure is noted when this returns: the other device is told a moment later.
            std::thread([] {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                played.in_turn->count_down();
            }).detach();
        }
        return failed;
    }
    Options here = options;
    here.device = "cpu";
    return try_multiply(a, b, c, here);
}

void reset() {
    played.devices.clear(), played.threads.clear(), played.threads_each.clear(), played.failing.clear();
    played.in_turn = nullptr;
}

std::vector<float> random_numbers(std::int64_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& number : numbers) number = std::uniform_real_distribution<float>(-1, 1)(random);
    return numbers;
}

struct Product {
    std::int64_t m, n, k;
    bool by_columns = false;  ///< how all of them lie
    Options options{};
    std::vector<float> a = random_numbers(m * k, 1), b = random_numbers(k * n, 2), c = random_numbers(m * n, 3),
                       bias = random_numbers(n, 4), residual = random_numbers(m * n, 5);

    Matrix matrix(std::vector<float>& of, std::int64_t rows, std::int64_t cols) const {
        return {of.data(), Type::f32, rows, cols, by_columns ? 1 : cols, by_columns ? rows : 1};
    }

    /// On so many devices; 0: in one piece on the CPU.
    std::vector<float> on(int devices, Status* status = nullptr) {
        std::vector<float> result = c;
        Options all = options;
        all.beta = 0.5, all.alpha = 2;
        all.epilogue.bias = bias.data(), all.epilogue.bias_size = n;
        all.epilogue.residual = matrix(residual, m, n);
        all.epilogue.activation = Activation::relu;
        const Matrix left = matrix(a, m, k), right = matrix(b, k, n), to = matrix(result, m, n);
        const Status ended = devices ? multiply_on_devices("fake", devices, left, right, to, all, play)
                                     : try_multiply(left, right, to, all);
        if (status) *status = ended;
        else EXPECT_TRUE(ended) << ended.text;
        return result;
    }
};

TEST(AllDevices, GiveTheBitsOfOnePiece) {
    for (const bool reproducible : {false, true})
        for (const bool by_columns : {false, true})
            for (const auto& [m, n, k] : {std::tuple{700, 300, 90}, {300, 700, 90}, {1, 1000, 60}, {640, 640, 17}}) {
                Product product{m, n, k, by_columns, {.reproducible = reproducible, .threads = 4}};
                const auto whole = product.on(0);
                for (const int devices : {1, 2, 3, 5, 100}) {
                    reset();
                    EXPECT_EQ(product.on(devices), whole) << m << 'x' << n << 'x' << k << " on " << devices;
                    const std::int64_t side = reproducible ? m : std::max(m, n), most = (side + 127) / 128;
                    EXPECT_EQ(played.devices.size(), static_cast<std::size_t>(std::min<std::int64_t>(most, devices)));
                    EXPECT_TRUE(played.devices.contains("fake:0"));
                }
            }
}

/// Runs its tasks itself, and notes whether two calls were at it at once.
struct OneAtATime {
    std::atomic<int> inside{0}, calls{0};
    std::atomic<bool> met{false};

    static void run(void* self, int tasks, void (*task)(void*, int), void* context) {
        auto& it = *static_cast<OneAtATime*>(self);
        if (it.inside.fetch_add(1) != 0) it.met = true;
        for (int i = 0; i < tasks; ++i) task(context, i);
        ++it.calls;
        --it.inside;
    }
};

TEST(AllDevices, TakeTheThreadsOfTheHostInTurns) {
    Plan plan;
    ASSERT_TRUE(try_plan({.m = 600, .n = 700, .k = 300}, {.device = "cpu", .threads = 4}, plan));
    if (plan.kernel->rung < Rung::vectorized) GTEST_SKIP() << plan.kernel_name() << " shares no work out";
    OneAtATime one;
    const Executor executor{&one, OneAtATime::run};
    Product product{600, 700, 300, false, {.threads = 4, .executor = &executor}};
    const auto whole = product.on(0);
    for (int times = 0; times < 5; ++times) EXPECT_EQ(product.on(5), whole);
    EXPECT_GE(one.calls, 20);
    EXPECT_FALSE(one.met);
}

TEST(AllDevices, EachHasAThreadThatStays) {
    Product product{400, 600, 20, false, {.threads = 9}};
    reset();
    product.on(4);
    const std::set<std::thread::id> before = played.threads;
    reset();
    product.on(4);
    EXPECT_EQ(played.threads, before);
    reset();
    product.on(3);
    EXPECT_EQ(played.devices, (std::set<std::string>{"fake:0", "fake:1", "fake:2"}));
    EXPECT_EQ(played.threads.size(), 3u);
    EXPECT_TRUE(played.threads.contains(std::this_thread::get_id()));
    EXPECT_EQ(played.threads_each, (std::set<int>{9}));
}

TEST(AllDevices, WhereThreadsAreRefusedTheyFollowOneAnother) {
    Product product{900, 100, 30, false, {.threads = 1}};
    const auto whole = product.on(0);
    reset();
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{1, 1};  // of no effect on root
        if (setrlimit(RLIMIT_NPROC, &limit) != 0 || (geteuid() == 0 && setuid(65534) != 0)) _exit(90);
        Status status;
        const auto result = product.on(3, &status);
        if (played.threads.size() > 1) _exit(91);
        const bool is_each_once = played.devices == std::set<std::string>{"fake:0", "fake:1", "fake:2"};
        _exit(!status ? 1 : result != whole ? 2 : !is_each_once ? 3 : 0);
    }
    int ended = 0;
    ASSERT_EQ(waitpid(child, &ended, 0), child);
    ASSERT_TRUE(WIFEXITED(ended));
    if (WEXITSTATUS(ended) == 91) GTEST_SKIP() << "skipped: nothing limits threads here";
    EXPECT_EQ(WEXITSTATUS(ended), 0);
}

TEST(AllDevices, SharesCoverCOnce) {
    std::vector<float> memory(1);
    for (const std::int64_t side : {1, 127, 128, 129, 1000, 4096})
        for (const bool by_rows : {false, true})
            for (const int devices : {1, 2, 3, 7}) {
                const Matrix c{memory.data(), Type::f32, by_rows ? side : 5, by_rows ? 5 : side, 0, 0};
                const int shares = shares_of(c, by_rows, devices);
                std::int64_t sum = 0;
                for (int i = 0; i < shares; ++i) {
                    const Share share = share_of(c, c, c, {}, by_rows, shares, i);
                    EXPECT_GT(share.c.rows * share.c.cols, 0);
                    EXPECT_EQ(by_rows ? share.c.cols : share.c.rows, 5);
                    sum += by_rows ? share.c.rows : share.c.cols;
                }
                EXPECT_EQ(sum, side);
            }
}

TEST(AllDevices, OneThatFailsGivesItsStatusAndTheOthersEnd) {
    Product product{900, 100, 30};
    const auto whole = product.on(0);
    for (const int failing : {0, 1, 2}) {
        reset();
        played.failing = {"fake:" + std::to_string(failing)};
        Status status;
        const auto result = product.on(3, &status);
        EXPECT_EQ(status.code, Code::device_failed);
        const int begin[] = {0, 384 * 100, 640 * 100};  // 900 rows by 128: 3, 2 and 2.03
        for (const int other : {0, 1, 2}) {
            const std::ptrdiff_t at = begin[other];
            const bool is_right = std::equal(result.begin() + at, result.begin() + at + 200 * 100, whole.begin() + at);
            EXPECT_EQ(is_right, other != failing) << other;
        }
    }
}

TEST(AllDevices, TheFirstFailureWins) {
    Product product{900, 100, 30};
    reset();
    static std::latch two_has_failed(1);  // the thread that tells may do so to the end of the test
    played.failing = {"fake:1", "fake:2"};
    played.in_turn = &two_has_failed;
    Status status;
    product.on(3, &status);
    EXPECT_STREQ(status.text, "two");
    reset();
}

Status front_door(Options options) {
    std::vector<float> a(300 * 20, 1), b(20 * 300, 1), c(300 * 300);
    return try_multiply({a.data(), Type::f32, 300, 20, 20}, {b.data(), Type::f32, 20, 300, 300},
                        {c.data(), Type::f32, 300, 300, 300}, options);
}

TEST(AllDevices, AreNamedAtTheFrontDoor) {
    EXPECT_TRUE(front_door({.device = "cpu:*"}));
    EXPECT_EQ(front_door({.device = "abacus:*"}).code, Code::no_device);
    const bool has_gpu = find_backend("cuda")->devices() > 0;
    EXPECT_EQ(front_door({.device = "cuda:*"}).code, has_gpu ? Code::ok : Code::no_device);
    EXPECT_EQ(front_door({.device = "cpu:**"}).code, Code::no_device);
    int somewhere = 0;
    std::byte memory[64];
    EXPECT_EQ(front_door({.device = "cpu:*", .stream = &somewhere}).code, Code::bad_argument);
    EXPECT_EQ(front_door({.device = "cpu:*", .scratch = memory}).code, Code::bad_argument);
    EXPECT_EQ(front_door({.device = "cpu:*", .kernel = "no_such"}).code, Code::unsupported);
    EXPECT_EQ(front_door({.verify = true, .device = "cpu:*"}).code, Code::ok);
    Plan plan;
    const Status refused = try_plan({.m = 300, .n = 300, .k = 20}, {.device = "cpu:*"}, plan);
    EXPECT_EQ(refused.code, Code::unsupported);
    EXPECT_NE(std::string(refused.text).find("one device's"), std::string::npos);
}

}  // namespace
