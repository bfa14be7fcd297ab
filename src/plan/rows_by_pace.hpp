// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// choose for some rows of C by a larger B, on one thread: which of the ladder's ways is quickest by paces that were
// timed, on this machine or on one like it; and what many rows take by AVX-512. The order of summation is
// chosen before, by rule: what is timed changes no bits.
#pragma once

#include "backend/contract.hpp"
#include "base/pace.hpp"

namespace tw {

/// This machine's, or those of a chip with the same vectors; null: nobody timed one, or the kernels' own prices are as
/// close.
const Pace* pace_of_rows(const Backend& backend) noexcept;

/// The row of the chosen one's order that is quickest by these paces; `chosen` if the product is not of that kind.
const Kernel* quickest_by_pace(const Backend& backend, const Problem& problem, int threads, const Kernel* chosen,
                               const Pace& pace) noexcept;

}  // namespace tw
