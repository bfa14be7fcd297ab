// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work in stages, each of which waits for all of the earlier ones. An item that was taken is in the hands of a thread
// that runs and waits for no later one: so there is always one that goes on, however few threads there are.
//
// Each worker has a home of neighbouring items in every stage, and helps in the others' when its own is empty: who
// repeats a product meets the same operands again, and one cell's panels after its neighbour's.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "base/pause.hpp"

namespace tw {

class Stages {
public:
    explicit Stages(int workers) noexcept : count_(std::min(workers, most)) {}

    /// An item of `items`, of a stage that is numbered from 1 on; -1 when all of them are taken. `at`: the home to look
    /// at first, and the one where an item was found.
    std::int64_t take(std::int64_t stage, std::int64_t items, int& at) noexcept {
        for (int looked = 0; looked < count_; ++looked, at = at + 1 < count_ ? at + 1 : 0) {
            const std::int64_t end = items * (at + 1) / count_;
            std::atomic<std::int64_t>& home = homes_[at].next;
            for (std::int64_t was = home.load(std::memory_order_relaxed);;) {
                const std::int64_t of = was >> bits, next = of == stage ? was & mask : items * at / count_;
                if (of > stage || next >= end) break;
                if (home.compare_exchange_weak(was, (stage << bits) + next + 1, std::memory_order_relaxed)) return next;
            }
        }
        return -1;
    }
    int home_of(int worker) const noexcept { return worker % count_; }

    /// An item that was taken is done.
    void complete() noexcept { done_.fetch_add(1, std::memory_order_release); }
    /// Returns when so many are done. With more threads than cores, the thread that is waited for may need this core.
    void wait_for(std::int64_t count) const noexcept {
        constexpr int looks_before_yielding = 4096;
        for (int looks = 0; done_.load(std::memory_order_acquire) < count; ++looks)
            looks < looks_before_yielding ? pause() : std::this_thread::yield();
    }

private:
    static constexpr int most = 32, bits = 40;
    static constexpr std::int64_t mask = (std::int64_t{1} << bits) - 1;
    struct alignas(64) Home {
        std::atomic<std::int64_t> next{0};  ///< its stage and the next item
    };

    const int count_;
    alignas(64) std::atomic<std::int64_t> done_{0};
    Home homes_[most];
};

}  // namespace tw
