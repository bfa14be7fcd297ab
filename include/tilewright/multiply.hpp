// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
#pragma once

#include <cstddef>
#include <string>

#include "tilewright/error.hpp"
#include "tilewright/options.hpp"
#include "tilewright/status.hpp"
#include "tilewright/types.hpp"
#include "tilewright/version.hpp"
#include "tilewright/view.hpp"

namespace tw {

/// C = epilogue(alpha * A * B + beta * C), with the types erased. Never throws, never prints.
/// A and B have one element type; C has that type, or f32
/// where they are f16 or bf16. Conjugates are read as the views say; C is not one.
TW_API Status try_multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options = {}) noexcept;

/// The sentence for a failed call: what was expected and what came.
TW_API std::string explain(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c,
                           const Options& options = {});

/// Throws tw::Error with explain()'s sentence when the status is not ok.
TW_API void check(const Status& status, const Matrix& a, const Matrix& b, const Matrix& c, const Options& options = {});

/// The typed faces take a View, or anything that a View converts from (see MdspanLike).
template <Viewable A, Viewable B, Viewable C>
Status try_multiply(const A& a, const B& b, const C& c, const Options& options = {}) noexcept {
    static_assert(!std::is_const_v<typename decltype(View(c))::element_type>,
                  "C is written: its elements can't be const");
    return try_multiply(erase(View(a)), erase(View(b)), erase(View(c)), options);
}

template <Viewable A, Viewable B, Viewable C>
void multiply(const A& a, const B& b, const C& c, const Options& options = {}) {
    check(try_multiply(a, b, c, options), erase(View(a)), erase(View(b)), erase(View(c)), options);
}

inline void multiply(const Matrix& a, const Matrix& b, const Matrix& c, const Options& options = {}) {
    check(try_multiply(a, b, c, options), a, b, c, options);
}

/// For types that are not Viewable, so that the compiler says this and no more: make a tw::View of the elements.
template <class A, class B, class C>
    requires(!(Viewable<A> && Viewable<B> && Viewable<C>))
void multiply(const A& a, const B& b, const C& c, const Options& options = {}) =
    delete;  // make Views of double, float, std::complex of them, tw::float16 or bfloat16

}  // namespace tw
