// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A device with memory of its own, made of host memory, that does nothing before it is waited for, and then does it in
// any order that its queues and events allow: what relies on luck goes wrong here. Its memory is full of NaN at first.
#pragma once

#include <cstddef>

#include "backend/contract.hpp"

namespace tw::test {

/// What the one device is to be from now on; what was in its queues is forgotten.
struct LateDevice {
    const Kernel* kernel = nullptr;  ///< of host memory: what its own kernel computes with
    std::size_t memory = 0;
    std::size_t page_locked = 0;   ///< bytes that it has for copies
    const void* locked = nullptr;  ///< host memory that is page-locked from the start
    unsigned seed = 1;
    int failing_call = 0;  ///< which call for work fails, from 1; 0: none
};
void start(const LateDevice& device);

/// The backend's row; its ladder has one row, which computes what LateDevice::kernel does.
const Backend& late_backend();

/// Calls for work since start().
int calls_for_work();

/// True when nothing is left in any queue.
bool is_idle();

}  // namespace tw::test
