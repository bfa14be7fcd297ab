// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "multiply/device_threads.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <new>

#include "base/own_thread.hpp"

namespace tw {
namespace {

struct Work {
    void (*call)(void*, int) = nullptr;
    void* context = nullptr;
};

/// A thread's place: it works whenever more has been asked than done.
struct Seat {
    std::atomic<std::uint32_t> asked{0}, done{0};
};

struct Threads {
    std::atomic<bool> busy{false};
    int made = 0;  // guarded by busy, as is the work
    Work work;
    Seat seats[most_device_threads];
};
constinit Threads threads;

/// The parent's threads do not exist in the child: begin afresh.
void begin_afresh() noexcept { ::new (&threads) Threads; }

/// Asked for when the program or the library is loaded, so that no fork comes between it and the first product.
[[maybe_unused]] const int asked_for = pthread_atfork(nullptr, nullptr, begin_afresh);

void* serve(void* index) noexcept {
    const auto number = static_cast<int>(reinterpret_cast<std::intptr_t>(index));
    Seat& seat = threads.seats[number];
    for (std::uint32_t done = 0;;) {
        seat.asked.wait(done, std::memory_order_acquire);
        threads.work.call(threads.work.context, number);
        seat.done.store(++done, std::memory_order_release);
        seat.done.notify_one();
    }
}

bool grow_to(int count) noexcept {
    constexpr std::size_t usual_stack = 0;  // drivers of devices need theirs
    while (threads.made < count - 1 &&
           start_own_thread(serve, reinterpret_cast<void*>(std::intptr_t{threads.made + 1}), usual_stack))
        ++threads.made;
    return threads.made >= count - 1;
}

void release() noexcept {
    threads.busy.store(false, std::memory_order_release);
    threads.busy.notify_one();
}

}  // namespace

bool run_on_device_threads(int count, void (*work)(void* context, int index), void* context) noexcept {
    while (threads.busy.exchange(true, std::memory_order_acquire)) threads.busy.wait(true, std::memory_order_relaxed);
    const bool enough = grow_to(count);
    if (enough) {
        threads.work = {work, context};
        for (int i = 1; i < count; ++i) {
            threads.seats[i].asked.fetch_add(1, std::memory_order_release);
            threads.seats[i].asked.notify_one();
        }
        work(context, 0);
        for (int i = 1; i < count; ++i) {
            const Seat& seat = threads.seats[i];
            const std::uint32_t asked = seat.asked.load(std::memory_order_relaxed);
            for (std::uint32_t done; (done = seat.done.load(std::memory_order_acquire)) != asked;)
                seat.done.wait(done, std::memory_order_acquire);
        }
    }
    release();
    return enough;
}

}  // namespace tw
