// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// The vector that every 64-bit processor has: 16 bytes, written with the compilers' own vector types, so that the rungs
// below the instruction sets are one text for all machines.
#pragma once

#include <cstring>

namespace tw::cpu {

template <class T>
struct Vector16 {
    typedef T type __attribute__((vector_size(16)));
};
/// Four f32 or two f64.
template <class T>
using Vector = typename Vector16<T>::type;

template <class T>
inline constexpr int lanes = 16 / static_cast<int>(sizeof(T));

template <class T>
inline Vector<T> load(const T* from) noexcept {
    Vector<T> v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <class T>
inline void store(T* to, const Vector<T>& v) noexcept {
    std::memcpy(to, &v, sizeof v);
}

}  // namespace tw::cpu
