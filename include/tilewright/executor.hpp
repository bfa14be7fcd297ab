// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

namespace tw {

/// Threads that the caller owns. `run` calls task(context, i) once for each i in [0, tasks), on any threads,
/// and returns when all have returned. Tasks never wait for one another.
struct Executor {
    void* self = nullptr;
    void (*run)(void* self, int tasks, void (*task)(void* context, int index), void* context) = nullptr;
};

}  // namespace tw
