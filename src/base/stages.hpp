// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Work in tickets, some of which must wait for all lower ones of an earlier stage. Those are done or in the hands of
// threads that run, which wait for none but lower ones themselves: so there is always one that goes on, however few
// threads there are.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "base/pause.hpp"

namespace tw {

class Stages {
public:
    std::int64_t take() noexcept { return next_.fetch_add(1, std::memory_order_relaxed); }
    /// A ticket that was taken is done.
    void complete() noexcept { done_.fetch_add(1, std::memory_order_release); }
    /// Returns when so many are done. With more threads than cores, the thread that is waited for may need this core.
    void wait_for(std::int64_t count) const noexcept {
        constexpr int looks_before_yielding = 4096;
        for (int looks = 0; done_.load(std::memory_order_acquire) < count; ++looks)
            looks < looks_before_yielding ? pause() : std::this_thread::yield();
    }

private:
    alignas(64) std::atomic<std::int64_t> next_{0};
    alignas(64) std::atomic<std::int64_t> done_{0};
};

}  // namespace tw
