// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One thread for each device but the first, which the calling thread serves. They stay: what a backend keeps for a
// thread (streams, page-locked memory, scratch) is there for its device's next product.
#pragma once

namespace tw {

inline constexpr int most_device_threads = 64;

/// Calls work(context, i) for each i in [0, count): 0 on the calling thread, others on a thread that is i's for ever.
/// Returns when all have returned. False, and nothing was called, when there are too few threads. A second caller
/// waits for the first: the devices are busy.
bool run_on_device_threads(int count, void (*work)(void* context, int index), void* context) noexcept;

}  // namespace tw
