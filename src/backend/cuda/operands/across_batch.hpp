// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// A batch of products from C's other side, for rows whose sums have the same bits from there.
#pragma once

#include <utility>

#include "backend/cuda/operands/aligned.hpp"

namespace tw::cuda {

/// across(call) with its batch, of which `turned` then tells.
inline Call across_with(Call call, Batch& turned) noexcept {
    if (call.batch) {
        turned = *call.batch;
        std::swap(turned.a, turned.b), std::swap(turned.a_step, turned.b_step);
        call.batch = &turned;
    }
    return across(call);
}

}  // namespace tw::cuda
