// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Turns times of the effort dial into settings of the library for this machine.
#pragma once

#include <span>

#include "plan/dial_store.hpp"

namespace tw::measure {

struct FoundTuning {
    DialMatrix matrix{};
    DialTuning tuning{};
};

/// A product by a layout: the bytes that it read and the time that it took.
struct TimedBytes {
    double bytes, seconds;
};

/// The time of a byte of the layout over that of a byte of the dense copy, where the curve crosses the dense time:
/// interpolated between the first point that is slower than dense and the one before. Points are in the order of their
/// bytes. If none is slower the crossing is above all bytes; if the first is, it is below the fewest.
double byte_cost_of(std::span<const TimedBytes> points, const TimedBytes& dense);

}  // namespace tw::measure
