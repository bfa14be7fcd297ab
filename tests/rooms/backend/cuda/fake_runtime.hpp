// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A CUDA runtime made of host memory, with one device that computes nothing: its calls are counted, and the one that
// the test names returns an error.
#pragma once

#include "backend/cuda/device/calls.hpp"

namespace tw::test {

/// Every entry of the table counts; call number `failing` (1 is the first from now on) returns `error`. 0: none fails.
void fail_call(int failing, cudaError_t error) noexcept;

/// Calls since fail_call().
int calls_made() noexcept;

/// Of them, those that launch a kernel.
int launches() noexcept;

/// Allocations, streams and events that have not been freed.
int live_allocations() noexcept;

/// What the device says of itself from now on.
struct Chip {
    int major = 9, minor = 0, multiprocessors = 132;
    bool has_kernels = true;  ///< false: the library is a draft
    int clock_khz = 1'980'000, memory_clock_khz = 3'201'000, bus_bits = 6144;
};
void pretend(const Chip& chip) noexcept;

/// Every stream is being captured from now on, each time into another graph, or none.
void capture(bool on) noexcept;

/// Whose memory every address is from now on: the device's at first.
void memory_is_the_hosts(bool is_so) noexcept;

/// Whether the driver finds what it is asked for, and gives an entry, from now on: both at first.
void driver_answers(bool is_found, bool has_entry) noexcept;

/// All graphs are gone, and let go what they held.
void destroy_graphs();

/// In force from now to the end of the program.
void use_fake_runtime() noexcept;

}  // namespace tw::test
