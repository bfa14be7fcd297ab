// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Random f64, c128 and c64 of full precision, and the errors of some elements of a product against sums of twice as
// many bits, made on the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device_data.hpp"
#include "tilewright/types.hpp"

namespace bench {

/// `count` numbers; those of `spread` are N(0,1), times 2^U(-10,10) for each number.
void fill_wide(void* data, std::size_t count, tw::Type type, Values values, std::uint64_t seed);

/// |C - AB| / |A||B|, of a complex number's parts each by itself.
struct SampledError {
    double largest = 0, root_mean_square = 0;
};
/// Of n x n products, all by rows: every (n / 32)th row by every (n / 64)th column.
SampledError sampled_error(const void* a, const void* b, const void* c, int n, tw::Type type);

}  // namespace bench
