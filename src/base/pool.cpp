// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/pool.hpp"

#include <cstddef>
#include <new>

#include "base/float_mode.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tw {
namespace {

constexpr int pauses_before_sleep = 1000;  // some tens of microseconds: the next product often follows at once
constexpr int looks_between_pauses =
    64;  // a hypervisor takes the processor away from a machine that does nothing but pause
constexpr std::size_t stack_bytes = 512 << 10;

void pause() noexcept {
#if defined(__x86_64__)
    _mm_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

constinit Pool pool;

/// The parent's workers do not exist in the child, and one of them may have held a seat: begin afresh.
void begin_afresh() noexcept { ::new (&pool) Pool; }

/// Asked for when the program or the library is loaded, so that no fork comes between it and the first product.
[[maybe_unused]] const int asked_for = pthread_atfork(nullptr, nullptr, begin_afresh);

/// Waits until the word is no longer `old`.
template <class T>
void wait_while(const std::atomic<T>& word, T old) noexcept {
    for (int spin = 0; spin < pauses_before_sleep; ++spin) {
        for (int look = 0; look < looks_between_pauses; ++look)
            if (word.load(std::memory_order_acquire) != old) return;
        pause();
    }
    while (word.load(std::memory_order_acquire) == old) word.wait(old, std::memory_order_acquire);
}

}  // namespace

Pool& Pool::instance() noexcept { return pool; }

void Pool::take_tasks() noexcept {
    for (int i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < work_.tasks;) work_.task(work_.context, i);
}

void* Pool::worker(void* self) noexcept {
    Pool& its = *static_cast<Pool*>(self);
    const IeeeMode mode;
    std::uint32_t seen = 0;
    for (;;) {
        wait_while(its.round_, seen);
        seen = its.round_.load(std::memory_order_acquire);
        // First inside, then the seat: run() takes the seats away first and then looks who is inside. Either it sees
        // this worker or this worker sees no seat; that needs one order of all four (sequential consistency).
        its.inside_.fetch_add(1);
        if (its.seats_.fetch_sub(1) > 0) its.take_tasks();
        if (its.inside_.fetch_sub(1) == 1) its.inside_.notify_one();
    }
}

int Pool::grow_to(int workers) noexcept {
    pthread_attr_t attributes;
    if (workers_ >= workers || pthread_attr_init(&attributes) != 0) return workers_;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    for (pthread_t thread; workers_ < workers; ++workers_)
        if (pthread_create(&thread, &attributes, worker, this) != 0) break;  // fewer threads do the same work
    pthread_attr_destroy(&attributes);
    return workers_;
}

void Pool::run(int helpers, int tasks, void (*task)(void*, int), void* context) noexcept {
    grow_to(helpers);
    work_ = {task, context, tasks};
    next_.store(0, std::memory_order_relaxed);
    seats_.store(helpers);
    round_.fetch_add(1, std::memory_order_acq_rel);
    round_.notify_all();
    take_tasks();
    seats_.store(0);
    for (std::uint32_t inside; (inside = inside_.load()) != 0;) wait_while(inside_, inside);
}

}  // namespace tw
