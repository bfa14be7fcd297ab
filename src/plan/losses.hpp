// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What a kernel may lose besides its certificate, by the largest of a row of A and of a column of B.
#pragma once

#include "backend/contract.hpp"
#include "base/element.hpp"

namespace tw {

struct Losses {
    double range = 0, flush = 0;  ///< its scheme's
    double least = 0;             ///< an operand's element below counts as this much

    bool is_empty() const noexcept { return range == 0 && flush == 0 && least == 0; }
};

/// CUDA's matrix units align the product of a subnormal f16 or bf16 as if it were the smallest normal number, and so
/// keep as many bits less of it as it has.
inline Losses losses_of(const Kernel& kernel, Place place) noexcept {
    const bool aligns_subnormals = place == Place::cuda && (kernel.in == Type::f16 || kernel.in == Type::bf16);
    const Range range = range_of(kernel.in);
    return {kernel.scheme->range_loss, kernel.scheme->flush_loss,
            aligns_subnormals ? range.least / (2 * range.unit) : 0};
}

}  // namespace tw
