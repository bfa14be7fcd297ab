// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "backend/metal/on_linux/machine/workers.hpp"

#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace tw::metal_check {
namespace {

class Workers {
public:
    ~Workers() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    void run(int cores, const std::function<void(int)>& task) {
        std::unique_lock lock(mutex_);
        while (static_cast<int>(threads_.size()) < cores - 1) {
            const int core = static_cast<int>(threads_.size()) + 1;
            threads_.emplace_back([this, core, seen = round_] { work(core, seen); });
        }
        task_ = &task;
        cores_ = cores;
        running_ = cores - 1;
        ++round_;
        lock.unlock();
        wake_.notify_all();
        task(0);
        lock.lock();
        done_.wait(lock, [this] { return running_ == 0; });
    }

private:
    void work(int core, unsigned seen) {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return ending_ || round_ != seen; });
            if (ending_) return;
            seen = round_;
            if (core >= cores_) continue;
            const std::function<void(int)>& task = *task_;
            lock.unlock();
            task(core);
            lock.lock();
            if (--running_ == 0) done_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, done_;
    std::vector<std::thread> threads_;
    const std::function<void(int)>* task_ = nullptr;
    int cores_ = 0, running_ = 0;
    unsigned round_ = 0;
    bool ending_ = false;
};

}  // namespace

void on_all_cores(int cores, const std::function<void(int core)>& task) {
    static Workers workers;
    workers.run(cores, task);
}

int usable_cores() noexcept {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    const int count = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : 1;
    return std::clamp(count, 1, 16);
}

}  // namespace tw::metal_check
