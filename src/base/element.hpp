// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One element of a type-erased matrix, as f64, which holds every type exactly. For code where speed does not matter.
#pragma once

#include "base/rounding.hpp"
#include "tilewright/view.hpp"

namespace tw {

inline double load_element(const Matrix& m, std::int64_t i, std::int64_t j) noexcept {
    const void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: return *static_cast<const double*>(at);
        case Type::f32: return static_cast<double>(*static_cast<const float*>(at));
        case Type::f16: return static_cast<double>(widen(*static_cast<const float16*>(at)));
        case Type::bf16: return static_cast<double>(widen(*static_cast<const bfloat16*>(at)));
    }
    return 0;
}

/// Rounds to nearest even; to the narrow types by way of f32.
inline void store_element(const Matrix& m, std::int64_t i, std::int64_t j, double value) noexcept {
    void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: *static_cast<double*>(at) = value; break;
        case Type::f32: *static_cast<float*>(at) = static_cast<float>(value); break;
        case Type::f16: *static_cast<float16*>(at) = to_float16(static_cast<float>(value)); break;
        case Type::bf16: *static_cast<bfloat16*>(at) = to_bfloat16(static_cast<float>(value)); break;
    }
}

/// What an element type can hold.
struct Range {
    double unit;     ///< half the distance from 1 to the next number
    double largest;  ///< the largest finite number
    double least;    ///< the least subnormal
};

constexpr Range range_of(Type type) noexcept {
    switch (type) {
        case Type::f64: return {0x1p-53, 0x1.fffffffffffffp+1023, 0x1p-1074};
        case Type::f32: return {0x1p-24, 0x1.fffffep+127, 0x1p-149};
        case Type::f16: return {0x1p-11, 65504, 0x1p-24};
        case Type::bf16: return {0x1p-8, 0x1.fep+127, 0x1p-133};
    }
    return {};
}

}  // namespace tw
