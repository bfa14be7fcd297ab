// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The library's own threads. They are made when first wanted, sleep between products, and are never joined: the shared
// library stays loaded (it is linked with -z nodelete), and after fork() the child begins with a pool of its own. There
// are no more of them than processors, and a product wakes no more than twice as many as it has work for.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/threads.hpp"

namespace tw {

class Pool {
public:
    /// The pool of this process.
    static Pool& instance() noexcept;

    /// Takes the pool for one product; false when another product has it, or a product runs inside a task.
    bool try_acquire() noexcept { return !busy_.exchange(true, std::memory_order_acquire); }
    void release() noexcept { busy_.store(false, std::memory_order_release); }

    /// Calls task(context, i) for each i in [0, tasks) on the caller and up to `helpers` workers. The caller holds the
    /// pool. A thread does the task of its own number if it comes in time: what its caches keep is of use again.
    void run(int helpers, int tasks, void (*task)(void*, int), void* context) noexcept;

private:
    struct Work {
        void (*task)(void*, int) = nullptr;
        void* context = nullptr;
        int tasks = 0;
    };

    /// Workers 0, 1, 2 to 3, 4 to 7, ... wait together: a product raises the rounds of as many groups as it needs.
    struct alignas(64) Group {
        std::atomic<std::uint32_t> round{0};
    };
    static constexpr int most_groups = 11;
    static constexpr int most_homes = 64;  // tasks that have a thread of their own

    /// One that sleeps begins on another processor than the caller's, where a virtual machine would put it there.
    struct Worker {
        void wait_while(const std::atomic<std::uint32_t>& round, std::uint32_t seen) noexcept;
        void keep_off(int processor) noexcept;  // the caller's, before it wakes this one
        void let_back() noexcept;

        std::atomic<int> thread{0};  // its number; 0: it has not begun yet
        std::atomic<bool> sleeps{false};
        std::atomic<int> kept_off{0};  // 1 + the processor that was taken from it while it slept
    };

    static void* worker(void* index) noexcept;
    void grow_to(int workers) noexcept;
    void wake(int workers) noexcept;
    void take_tasks(int own) noexcept;

    std::atomic<bool> busy_{false};
    int workers_ = 0;  // guarded by busy_

    Worker all_[most_threads];                        // the first workers_ of them
    Work work_;                                       // written by the holder before a round is raised
    Group groups_[most_groups];                       // a new round wakes a group's workers
    std::atomic<int> seats_{0};                       // workers still welcome in this round
    std::atomic<int> next_{0};                        // tasks that were looked at, the last one first
    std::uint64_t number_ = 0;                        // of this round
    std::atomic<std::uint64_t> taken_[most_homes]{};  // the last round in which task i was taken
    std::atomic<std::uint32_t> inside_{0};            // workers that have a seat and have not left it
};

}  // namespace tw
