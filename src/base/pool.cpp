// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/pool.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>

#include "base/cores.hpp"
#include "base/cpu_core.hpp"
#include "base/float_mode.hpp"
#include "base/own_thread.hpp"
#include "base/pause.hpp"
#include "base/remembered.hpp"
#include "base/threads.hpp"

namespace tw {
namespace {

constexpr int pauses_before_sleep = 1000;  // tens of microseconds: the next product often follows at once
constexpr int looks_between_pauses = 64;   // of nothing but pauses a hypervisor makes an exit (pause-loop exiting)
constexpr std::size_t stack_bytes = 512 << 10;
constexpr int always_granted = 8;  // threads, however few processors there are
constexpr int few_processors = 4;  // of more, one that Linux knows to be idle is nearly always found

constinit Remembered<int> most;

/// More threads than processors only take turns, and all of them stay.
int most_workers() noexcept {
    return most.get([] { return std::clamp(allowed_processors(), always_granted, most_threads) - 1; });
}

int group_of(int worker) noexcept { return static_cast<int>(std::bit_width(static_cast<unsigned>(worker))); }

constinit Remembered<int> places;

/// Whether workers are placed, as Linux would place them badly: in a virtual machine of few processors.
bool places_workers() noexcept {
    return places.get([] { return is_virtual_machine() && allowed_processors() <= few_processors ? 2 : 1; }) == 2;
}

constinit Pool pool;

/// The parent's workers do not exist in the child, and one of them may have held a seat: begin afresh.
void begin_afresh() noexcept { ::new (&pool) Pool; }

/// Asked for when the program or the library is loaded, so that no fork comes between it and the first product.
[[maybe_unused]] const int asked_for = pthread_atfork(nullptr, nullptr, begin_afresh);

/// Looks at the word for a while; true as soon as it is no longer `old`.
template <class T>
bool changes_soon(const std::atomic<T>& word, T old) noexcept {
    for (int spin = 0; spin < pauses_before_sleep; ++spin) {
        for (int look = 0; look < looks_between_pauses; ++look)
            if (word.load(std::memory_order_acquire) != old) return true;
        pause();
    }
    return false;
}

template <class T>
void sleep_while(const std::atomic<T>& word, T old) noexcept {
    while (word.load() == old) word.wait(old);
}

}  // namespace

Pool& Pool::instance() noexcept { return pool; }

/// `own`: the caller's task is 0, that of worker i is i + 1. The last one's thread is woken last, and may not have
/// come: so what is left is taken from there on. A task that was taken is looked at and not written to: threads that
/// write to one line wait for each other.
void Pool::take_tasks(const Work& work, int own) noexcept {
    if (work.tasks > most_homes) {
        for (int i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < work.tasks;) work.task(work.context, i);
        return;
    }
    const auto try_task = [&](int i) {
        std::atomic<std::uint64_t>& taken = i == 0 ? taken_ : all_[i - 1].taken;
        if (taken.load(std::memory_order_relaxed) != work.number &&
            taken.exchange(work.number, std::memory_order_relaxed) != work.number)
            work.task(work.context, i);
    };
    if (own < work.tasks) try_task(own);
    for (int i = work.tasks - 1; i >= 0; --i) try_task(i);
}

void Pool::Worker::wait_while(const std::atomic<std::uint32_t>& round, std::uint32_t seen) noexcept {
    if (changes_soon(round, seen)) return;
    let_back();
    sleeps.store(true, std::memory_order_release);
    sleep_while(round, seen);
    sleeps.store(false, std::memory_order_relaxed);
    let_back();
}

void Pool::Worker::let_back() noexcept {
    if (kept_off.load(std::memory_order_acquire) != 0) tw::let_back(kept_off.exchange(0) - 1);
}

/// A worker that an earlier round has woken and that has not begun yet may look asleep: then it gets its processor back
/// when it waits again.
void Pool::Worker::keep_off(int processor) noexcept {
    if (sleeps.load(std::memory_order_acquire) && kept_off.load(std::memory_order_relaxed) == 0 &&
        tw::keep_off(thread.load(std::memory_order_relaxed), processor))
        kept_off.store(processor + 1, std::memory_order_release);
}

void* Pool::worker(void* number) noexcept {
    Pool& its = pool;
    const auto index = reinterpret_cast<std::intptr_t>(number);
    const auto& round = its.groups_[group_of(static_cast<int>(index))].round;
    Worker& self = its.all_[index];
    self.thread.store(own_thread_number(), std::memory_order_relaxed);
    const IeeeMode mode;
    std::uint32_t seen = 0;
    for (;;) {
        self.wait_while(round, seen);
        seen = round.load(std::memory_order_acquire);
        its.enter(static_cast<int>(index));
    }
}

/// First inside, then the look at the door: run() shuts it first and then looks who is inside. Either it sees this
/// worker or this worker finds it shut; that needs one order of all four (sequential consistency).
void Pool::enter(int index) noexcept {
    Worker& self = all_[index];
    self.inside.store(1);
    if (index < open_.load()) {
        const Work work = work_;
        take_tasks(work, index + 1);
    }
    self.inside.store(0);
    if (is_waiting_.load()) self.inside.notify_one();
}

void Pool::wait_for(int workers) noexcept {
    for (int i = 0; i < workers; ++i) {
        const std::atomic<std::uint32_t>& inside = all_[i].inside;
        if (inside.load() == 0 || changes_soon(inside, 1u)) continue;
        is_waiting_.store(true);
        sleep_while(inside, 1u);
        is_waiting_.store(false);
    }
}

void Pool::grow_to(int workers) noexcept {
    // Where none can be had, fewer threads do the same work.
    while (workers_ < workers &&
           start_own_thread(worker, reinterpret_cast<void*>(std::intptr_t{workers_}), stack_bytes))
        ++workers_;
}

void Pool::wake(int workers) noexcept {
    if (places_workers())
        for (int worker = 0, processor = processor_at_hand(); worker < std::min(workers, workers_); ++worker)
            all_[worker].keep_off(processor);
    const int groups = workers > 0 ? group_of(workers - 1) + 1 : 0;
    for (int group = 0; group < groups; ++group) {
        std::atomic<std::uint32_t>& round = groups_[group].round;
        const std::uint32_t raised = round.load(std::memory_order_relaxed) + 1;
        if (group + 1 < groups) round.store(raised, std::memory_order_release);
        else round.store(raised);  // waits for those before it: who is about to sleep sees its round or is seen here
    }
    for (int group = 0; group < groups; ++group) groups_[group].round.notify_all();
}

void Pool::run(int helpers, int tasks, void (*task)(void*, int), void* context) noexcept {
    grow_to(std::min(helpers, most_workers()));
    const int welcome = std::min(helpers, workers_);
    work_ = {task, context, tasks, work_.number + 1};
    next_.store(0, std::memory_order_relaxed);
    open_.store(welcome);
    wake(welcome);
    take_tasks(work_, 0);
    open_.store(0);
    wait_for(welcome);
}

}  // namespace tw
