// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// From times of the effort dial to what the library is to do with them on this machine.
#pragma once

#include <span>

#include "plan/dial_store.hpp"

namespace tw::measure {

struct FoundTuning {
    DialMatrix matrix{};
    DialTuning tuning{};
};

/// A product of a layout: what it read and how long it took.
struct TimedBytes {
    double bytes, seconds;
};

/// How much longer a byte of the layout takes than one of dense, where both take as long: between the first point that
/// is slower than dense and the one in front of it, in a straight line. Points are in the order of their bytes. Above
/// all bytes where none is slower, below the fewest where the first is.
double byte_cost_of(std::span<const TimedBytes> points, const TimedBytes& dense);

}  // namespace tw::measure
