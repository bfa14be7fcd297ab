// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstdint>

#include "tilewright/multiply.hpp"
#include "tilewright/problem.hpp"

namespace tw {

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
