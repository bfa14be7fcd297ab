// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/threads.hpp"

#include <algorithm>

#include "base/cores.hpp"
#include "base/environment.hpp"
#include "base/float_mode.hpp"
#include "base/pool.hpp"
#include "base/remembered.hpp"
#include "base/scratch.hpp"

// Present in programs that use OpenMP. Inside a parallel region every core is already at work.
#if defined(__GNUC__) && !defined(__APPLE__)
extern "C" __attribute__((weak)) int omp_in_parallel();
#endif

namespace tw {
namespace {

bool inside_openmp_region() noexcept {
#if defined(__GNUC__) && !defined(__APPLE__)
    return omp_in_parallel && omp_in_parallel();
#else
    return false;
#endif
}

int count_threads() noexcept {
    int least = std::min(allowed_processors(), physical_cores());
    if (const int quota = quota_processors(); quota > 0) least = std::min(least, quota);
    return environment_number("TW_THREADS", 1, most_threads, std::clamp(least, 1, most_threads));
}

constinit Remembered<int> counted;

/// The caller's executor may run tasks in any floating-point mode.
struct InIeeeMode {
    void (*task)(void*, int);
    void* context;

    static void run(void* self, int index) {
        const IeeeMode mode;
        const auto& inner = *static_cast<InIeeeMode*>(self);
        inner.task(inner.context, index);
    }
};

}  // namespace

int default_threads() noexcept { return inside_openmp_region() ? 1 : counted.get(count_threads); }

void run_tasks(const Executor* executor, int threads, int tasks, void (*task)(void* context, int index),
               void* context) noexcept {
    if (executor && executor->run) {
        InIeeeMode guarded{task, context};
        const ScratchSetAside held;  // it may steal other work on this thread while it waits
        executor->run(executor->self, tasks, InIeeeMode::run, &guarded);
        return;
    }
    const int helpers = std::min(threads, tasks) - 1;
    if (helpers > 0 && Pool::instance().try_acquire()) {
        Pool::instance().run(helpers, tasks, task, context);
        Pool::instance().release();
        return;
    }
    for (int i = 0; i < tasks; ++i) task(context, i);
}

}  // namespace tw
