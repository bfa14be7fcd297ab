// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Devices with memory of their own, made of host memory, that do nothing before they are waited for, and then do it in
// any order that their queues and events allow: what relies on luck goes wrong here. Their memory is full of NaN at
// first. A thread has the device that it selected, the first one until it has.
#pragma once

#include <cstddef>

#include "backend/contract.hpp"
#include "backend/links.hpp"

namespace tw::test {

/// What the devices are to be from now on; what was in their queues is forgotten.
struct LateDevice {
    const Kernel* kernel = nullptr;  ///< of host memory: what its own kernel computes with
    std::size_t memory = 0;          ///< of each
    std::size_t page_locked = 0;     ///< bytes that each has for copies
    const void* locked = nullptr;    ///< host memory that is page-locked from the start
    unsigned seed = 1;
    int failing_call = 0;  ///< which call for work of the failing device fails, from 1; 0: none
    int devices = 1, failing_device = 0;
    bool linked = true;  ///< each copies from the others' memory
};
void start(const LateDevice& device);

/// The backend's row; its ladder has one row, which computes what LateDevice::kernel does.
const Backend& late_backend();

inline constexpr int most_late_devices = 4;
const DeviceLinks& late_links();

/// Calls for work of a device since start().
int calls_for_work(int device = 0);

/// What has been copied to the devices from elsewhere than a device's memory.
std::size_t bytes_from_host();

/// True when nothing is left in any queue.
bool is_idle();

}  // namespace tw::test
