// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// "cuda:*": one product of host operands on all devices of a backend. C is cut into one part a device, by rows or by
// columns, and each part is a product of its own, called by a thread of its device's:
//
//             B                          B0 | B1
//   A0     -> C0   cuda:0        A   ->  C0 | C1
//   A1     -> C1   cuda:1                cuda:0, cuda:1
//
// The operand that is not cut is read from the host once for all (carry/shared_operand.hpp). Threads of the host carry
// a piece of a panel for one device, then one for another, all of them together.
#pragma once

#include <cstdint>
#include <string_view>

#include "carry/shared_operand.hpp"
#include "tilewright/multiply.hpp"

namespace tw {

/// Which part of a product a device gets.
struct Share {
    Matrix a, b, c;
    Epilogue epilogue{};
};

/// C is cut along its longer side, at multiples of 128; by rows where the product is reproducible, whose rows have bits
/// that follow from B as a whole.
constexpr bool cuts_rows(const Matrix& c, bool reproducible) noexcept { return reproducible || c.rows >= c.cols; }

/// How many of so many devices get a part: none of them less than 128 rows or columns.
int shares_of(const Matrix& c, bool by_rows, int devices) noexcept;

Share share_of(const Matrix& a, const Matrix& b, const Matrix& c, const Epilogue& epilogue, bool by_rows, int shares,
               int index) noexcept;

/// One product on one device, planned and run; or what a test puts in its place.
using MultiplyOnOne = Status (*)(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options,
                                 const Sharing& sharing) noexcept;

/// The product on devices 0 to `devices` - 1 of a backend. Returns when all parts have ended, with the status of the
/// first that failed; each part of C then holds what its own product left there. The operands have been checked.
Status multiply_on_devices(std::string_view backend, int devices, const Matrix& a, const Matrix& b, const Matrix& c,
                           const Options& options, MultiplyOnOne multiply_on_one) noexcept;

/// The same on all that Options::device names.
Status multiply_on_all_devices(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options) noexcept;

}  // namespace tw
