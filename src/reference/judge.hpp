// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The judge: compares every element of a result with the answer, within the certificate of the kernel that made it.
#pragma once

#include <cstdint>
#include <string>

#include "reference/answer.hpp"
#include "tilewright/view.hpp"

namespace tw::reference {

/// How far from the answer an element may be:
///
///     bound * magnitude                                  what splitting and summing lose
///   + bound * least * |alpha| k * (max|a_i| + max|b_j| + least)  where elements below `least` count as that
///   + flush * max(|alpha|, 1) * k * (max|a_i| + max|b_j| + 1)  what a unit that flushes below `flush` loses
///   + (|alpha| k + 2) units of the least subnormal       what is lost where numbers have no more bits
///   + one rounding to C's type, when it is narrower than the sum
///
/// of a complex product for each part by itself, which is a sum of 2k real products and has a magnitude of its own; all
/// times what the epilogue does to an error, and what it rounds itself; where a pass of its own reads a narrow C again,
/// one rounding more. A bound of 0 means the very answer, rounded to C's type.
struct Tolerance {
    double bound = 0;
    double flush = 0;
    bool rounds_before_epilogue = false;
    double least = 0;
};

/// How much work a judgement may cost. If all rows cost more, only some are judged: the first, the last, random others.
struct Care {
    double products = 0x1p30;
    std::uint64_t seed = 1;
    int threads = 1;
};

struct Verdict {
    bool ok = false;
    double worst = 0;           ///< the largest error as a fraction of what is allowed; above 1 it fails
    double relative_error = 0;  ///< ||C - answer|| / ||answer||, Frobenius, over the elements checked that are finite
    std::int64_t checked = 0, wrong = 0;

    // The first element that fails, or, when none does, the worst.
    const char* part = "";  ///< of a complex element: which of its parts
    std::int64_t row = -1, col = -1;
    double expected = 0, got = 0, allowed = 0;

    std::string sentence() const;
};

/// Element by element `!(error <= allowed)` fails, so a NaN fails. What is not finite must be what IEEE arithmetic
/// gives: NaN where a term is NaN, 0 * Inf or Inf - Inf; else the same Inf. Where the sum of |a||b| exceeds a quarter
/// of the largest finite number a partial sum may overflow, and a result that is not finite passes.
Verdict judge(const Question& question, const Matrix& result, const Tolerance& tolerance, const Care& care = {});

}  // namespace tw::reference
