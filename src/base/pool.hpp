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
    /// Of one round. Whoever works on it reads this line once and writes lines of its own.
    struct Work {
        void (*task)(void*, int) = nullptr;
        void* context = nullptr;
        int tasks = 0;
        std::uint64_t number = 0;
    };

    /// Workers 0, 1, 2 to 3, 4 to 7, ... wait together: a product raises the rounds of as many groups as it needs.
    struct alignas(64) Group {
        std::atomic<std::uint32_t> round{0};
    };
    static constexpr int most_groups = 11;
    static constexpr int most_homes = 64;  // tasks that have a thread of their own

    /// One that sleeps begins on another processor than the caller's, where a virtual machine would put it there.
    struct alignas(64) Worker {
        void wait_while(const std::atomic<std::uint32_t>& round, std::uint32_t seen) noexcept;
        void keep_off(int processor) noexcept;  // the caller's, before it wakes this one
        void let_back() noexcept;

        std::atomic<std::uint32_t> inside{0};  // 1: it works on a round, or looks whether it may
        std::atomic<std::uint64_t> taken{0};   // the last round in which the task of its own number was taken
        std::atomic<int> thread{0};            // its number; 0: it has not begun yet
        std::atomic<bool> sleeps{false};
        std::atomic<int> kept_off{0};  // 1 + the processor that was taken from it while it slept
    };

    static void* worker(void* index) noexcept;
    void grow_to(int workers) noexcept;
    void wake(int workers) noexcept;
    void enter(int index) noexcept;
    void wait_for(int workers) noexcept;
    void take_tasks(const Work& work, int own) noexcept;

    std::atomic<bool> busy_{false};
    int workers_ = 0;  // guarded by busy_

    alignas(64) Work work_;                 // written by the holder before it opens a round
    std::atomic<int> open_{0};              // the first so many workers are welcome in this round
    std::atomic<bool> is_waiting_{false};   // the holder sleeps until one of them has left
    alignas(64) std::atomic<int> next_{0};  // tasks that were taken, where they are too many for one a thread
    std::atomic<std::uint64_t> taken_{0};   // as a worker's: of task 0, the holder's
    Group groups_[most_groups];             // a new round wakes a group's workers
    Worker all_[most_threads];              // the first workers_ of them
};

}  // namespace tw
