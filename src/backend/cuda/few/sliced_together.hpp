// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// few_tiles_sliced where there are few tiles of a long k: the blocks of a cluster share it.
#pragma once

#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/tiles/heuristics_sliced.hpp"

namespace tw::cuda::sliced {

/// What every product lets be read, or written, 16 bytes at once.
struct By4 {
    bool a, b, c;

    explicit By4(const Call& call)
        : a(lies(a_of(call), call.a.col_step, call.a.row_step)),
          b(lies(b_of(call), call.b.row_step, call.b.col_step)),
          c(call.epilogue.is_empty() && call.c.col_step == 1 && call.c.row_step % 4 == 0 && call.n() % 4 == 0 &&
            c_of(call).address_bits() % 16 == 0) {}

private:
    /// Rows across k.
    static bool lies(const BatchedOperand& operand, std::int64_t k_step, std::int64_t other_step) {
        return other_step == 1 && k_step != 1 && operand.address_bits() % 16 == 0 && k_step % 4 == 0;
    }
};

/// way.ranks is more than 1.
Status run_together(const Call& call, const Way& way);

}  // namespace tw::cuda::sliced
