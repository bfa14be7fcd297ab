// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Threads for one product at a time: a small pool that is made on first use and survives fork(). A second product at
// the same time does not wait for it: its caller does the work alone.
#pragma once

#include "tilewright/executor.hpp"

namespace tw {

inline constexpr int most_threads = 1024;

/// How many threads a product may use when nobody says: TW_THREADS, else the smallest of the affinity mask,
/// the control group's quota and the physical cores.
int default_threads() noexcept;

/// Calls task(context, i) once for each i in [0, tasks) and returns when all are done. Uses the executor if there
/// is one, else at most `threads` threads of the pool, the caller among them. Never fails: fewer threads, same work.
void run_tasks(const Executor* executor, int threads, int tasks, void (*task)(void* context, int index),
               void* context) noexcept;

}  // namespace tw
