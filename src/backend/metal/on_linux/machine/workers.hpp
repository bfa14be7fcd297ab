// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The operating system's threads that act as the machine's cores. They are kept, because each owns stacks and the
// thread-local arrays of threadgroup memory.
#pragma once

#include <functional>

namespace tw::metal_check {

/// Calls task(core) for each core in [0, cores) at once, one of them on the caller's thread; returns when all are done.
void on_all_cores(int cores, const std::function<void(int core)>& task);

/// The processors that the affinity mask allows, at most 16.
int usable_cores() noexcept;

}  // namespace tw::metal_check
