// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The chip that parts of k are counted for, whichever is there: so the bits of sums follow from the shape alone.
#pragma once

namespace tw::cuda::parts {

inline constexpr int chip = 132;  ///< multiprocessors

}  // namespace tw::cuda::parts
