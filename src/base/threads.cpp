// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#include "base/threads.hpp"

#include "base/environment.hpp"

namespace tw {

int default_threads() noexcept { return environment_number("TW_THREADS", 1, 1024, 1); }

void run_tasks(const Executor* executor, int, int tasks, void (*task)(void* context, int index), void* context) noexcept {
    if (executor && executor->run) return executor->run(executor->self, tasks, task, context);
    for (int i = 0; i < tasks; ++i) task(context, i);
}

}  // namespace tw
