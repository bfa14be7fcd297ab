// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The operating system's threads that act as the machine's cores. They stay, because each owns stacks and the
// thread-local arrays that threadgroup memory is.
#pragma once

#include <functional>

namespace tw::metal_check {

/// Calls task(core) for each core in [0, cores), all at once, the caller among them; returns when all have returned.
void on_all_cores(int cores, const std::function<void(int core)>& task);

/// What the affinity mask allows, 16 at most.
int usable_cores() noexcept;

}  // namespace tw::metal_check
