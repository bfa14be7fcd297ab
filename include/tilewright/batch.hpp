// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

#include "tilewright/multiply.hpp"

namespace tw {

/// Many products of one shape. The operands passed beside it are product 0's; those of the others lie a step of so many
/// elements apart (0: all products share that operand), or where an array of pointers says.
struct Batch {
    std::int64_t size = 0;
    std::int64_t a_step = 0, b_step = 0, c_step = 0;
    std::int64_t residual_step = 0;  ///< of the epilogue's residual
    const void* const* a = nullptr;  ///< a[i] is where product i's A begins; null: a_step says it
    const void* const* b = nullptr;
    void* const* c = nullptr;
};

/// A batch by pointers, `size` in each array. The data pointers of the operands passed beside it are ignored.
template <Element A, Element B, Element C>
Batch batch_of(std::int64_t size, A* const* a, B* const* b, C* const* c) noexcept {
    Batch batch{.size = size};
    batch.a = reinterpret_cast<const void* const*>(a);
    batch.b = reinterpret_cast<const void* const*>(b);
    batch.c = reinterpret_cast<void* const*>(c);
    return batch;
}

/// C[i] = epilogue(alpha * A[i] * B[i] + beta * C[i]) for every i in [0, batch.size): the same bits as one product at a
/// time, planned once, threads over the batch where the products are small. Arguments are checked before anything is
/// written; Status::product says which product it is about. When a product fails later (no memory, a device
/// error, verification), its C and those of the products after it are unchanged.
TW_API Status try_multiply_batch(const Matrix& a, const Matrix& b, const Matrix& c, const Batch& batch,
                                 const Options& options = {}) noexcept;

template <Viewable A, Viewable B, Viewable C>
Status try_multiply_batch(const A& a, const B& b, const C& c, const Batch& batch,
                          const Options& options = {}) noexcept {
    static_assert(!std::is_const_v<typename decltype(View(c))::element_type>,
                  "C is written: its elements can't be const");
    return try_multiply_batch(erase(View(a)), erase(View(b)), erase(View(c)), batch, options);
}

template <Viewable A, Viewable B, Viewable C>
void multiply_batch(const A& a, const B& b, const C& c, const Batch& batch, const Options& options = {}) {
    check(try_multiply_batch(a, b, c, batch, options), erase(View(a)), erase(View(b)), erase(View(c)), options);
}

}  // namespace tw
