// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include "tilewright/types.hpp"

namespace tw::measure {

/// Monotonic, in seconds.
double now() noexcept;

/// Processor time of this thread, in seconds: less than the wall's when a neighbour held the core.
double thread_time() noexcept;

/// What times products on so many threads: thread_time() where the caller's alone works, on the host, else now().
using Clock = double (*)() noexcept;
Clock clock_of(Place place, int threads) noexcept;

/// Of all threads of this process together.
double process_time() noexcept;

/// The core's clock in Hz, from a chain of dependent multiplications whose latency is known (3 cycles on every core
/// that we run on). Takes about 5 ms; drifts with load and heat, so it is measured and not read.
double core_clock() noexcept;

}  // namespace tw::measure
