// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// How the operands of a call lie for few_steps and few_steps_mma, and how C is written.
#pragma once

#include <utility>

#include "backend/cuda/few/heuristics_mma.hpp"
#include "backend/cuda/few/inside_store.cuh"
#include "backend/cuda/operands/aligned.hpp"
#include "backend/cuda/operands/batched.hpp"
#include "backend/cuda/operands/product.cuh"

namespace tw::cuda::inside {

/// 16 bytes at a time where every line of every product begins at a multiple of them, and ends at one: nothing is read
/// behind a line's last element.
inline By by_of(const BatchedOperand& operand, std::int64_t pitch, std::int64_t lines, std::int64_t length) {
    const auto all = operand.address_bits() | static_cast<std::uintptr_t>(lines > 1 ? pitch * 4 : 0);
    return all % 16 == 0 && length % 4 == 0 ? By::sixteen : By::four;
}

inline By by_of_a(const Call& call) {
    if (call.a.col_step != 1) return by_of(a_of(call), call.a.col_step, call.k(), call.m());
    return by_of(a_of(call), call.a.row_step, call.m(), call.k());
}
inline By by_of_b(const Call& call) {
    if (call.b.row_step != 1) return by_of(b_of(call), call.b.row_step, call.k(), call.n());
    return by_of(b_of(call), call.b.col_step, call.n(), call.k());
}

inline Ending ending_of(const Call& call) {
    if (!call.epilogue.is_empty() || call.c.col_step != 1) return Ending::by_element;
    return by_of(c_of(call), call.c.row_step, call.m(), call.n()) == By::sixteen ? Ending::by_16 : Ending::by_4;
}

inline Lies lies_of(const Call& call) {
    const bool a_by_4 = by_of_a(call) == By::four, b_by_4 = call.b.row_step != 1 || by_of_b(call) == By::four;
    return {a_by_4 || b_by_4, a_by_4 && b_by_4, ending_of(call) != Ending::by_16};
}

inline mma::Lies lies_for_mma(const Call& call) {
    return {(by_of_a(call) == By::four) + (by_of_b(call) == By::four), ending_of(call) != Ending::by_16};
}

/// The product from C's other side, with its batch.
struct Turned {
    Call call;
    Batch batch{};

    explicit Turned(const Call& given) : call(across(given)) {
        if (!given.batch) return;
        batch = *given.batch;
        std::swap(batch.a, batch.b), std::swap(batch.a_step, batch.b_step);
        call.batch = &batch;
    }
    Turned(const Turned&) = delete;
};

}  // namespace tw::cuda::inside
