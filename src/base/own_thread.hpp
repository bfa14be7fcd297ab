// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Threads of our own, and where a woken one begins. In a virtual machine an idle processor that its hypervisor has
// taken away does not count as idle for Linux (vcpu_is_preempted), so that a thread is queued behind the one that wakes
// it, on the same processor, and begins when that one ends. Kept off the waker's processor while it sleeps, it begins
// beside it.
#pragma once

#include <cstddef>

namespace tw {

/// Starts a thread that is never joined and takes no signals of the program's. `stack_bytes` 0: as many as is usual.
/// False when the system has none to give.
bool start_own_thread(void* (*work)(void*), void* argument, std::size_t stack_bytes) noexcept;

/// A number for the calling thread that keep_off() knows it by; 0 where there is none.
int own_thread_number() noexcept;

/// The processor that the caller runs on at this moment; -1 where that is not told.
int processor_at_hand() noexcept;

/// Takes a processor away from those that a thread of this process may run on. False, and nothing changes, where it may
/// not run there or nowhere else.
bool keep_off(int thread, int processor) noexcept;

/// Gives a processor back to the calling thread, from which keep_off() took it. What else has changed meanwhile stays;
/// where nothing limits the thread but its control group, it follows that one's changes as if nothing had happened.
void let_back(int processor) noexcept;

}  // namespace tw
