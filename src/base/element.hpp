// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One element of a type-erased matrix, as f64, which holds every type exactly. For code where speed does not matter.
#pragma once

#include <complex>
#include <limits>

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
        case Type::c64:
        case Type::c128: break;  // two numbers, of which none may pass for the element: load_complex()
    }
    return std::numeric_limits<double>::quiet_NaN();
}

/// The real parts of a complex matrix, or its imaginary ones as they lie, as a real matrix.
inline Matrix real_parts(const Matrix& m) noexcept {
    return {m.data, part_of(m.type), m.rows, m.cols, 2 * m.row_step, 2 * m.col_step};
}
inline Matrix imaginary_parts(const Matrix& m) noexcept {
    Matrix parts = real_parts(m);
    if (m.data) parts.data = static_cast<char*>(m.data) + size_of(parts.type);
    return parts;
}

/// The element that the matrix counts as: conjugate where it says so. Of a real one the imaginary part is 0.
inline std::complex<double> load_complex(const Matrix& m, std::int64_t i, std::int64_t j) noexcept {
    if (!is_complex(m.type)) return load_element(m, i, j);
    const double imaginary = load_element(imaginary_parts(m), i, j);
    return {load_element(real_parts(m), i, j), m.is_conj ? -imaginary : imaginary};
}

/// Rounds to nearest even; to the narrow types by way of f32.
inline void store_element(const Matrix& m, std::int64_t i, std::int64_t j, double value) noexcept {
    void* at = m.at(i, j);
    switch (m.type) {
        case Type::f64: *static_cast<double*>(at) = value; break;
        case Type::f32: *static_cast<float*>(at) = static_cast<float>(value); break;
        case Type::f16: *static_cast<float16*>(at) = to_float16(static_cast<float>(value)); break;
        case Type::bf16: *static_cast<bfloat16*>(at) = to_bfloat16(static_cast<float>(value)); break;
        case Type::c64:
        case Type::c128: break;  // store_complex()
    }
}

/// Each part rounded as an element of its type is.
inline void store_complex(const Matrix& m, std::int64_t i, std::int64_t j, std::complex<double> value) noexcept {
    store_element(real_parts(m), i, j, value.real());
    store_element(imaginary_parts(m), i, j, value.imag());
}

/// The plain product. That of std::complex looks again where a part is NaN, and finds infinities.
constexpr std::complex<double> times(std::complex<double> x, std::complex<double> y) noexcept {
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

/// What an element type can hold, or each part of it.
struct Range {
    double unit;     ///< half the distance from 1 to the next number
    double largest;  ///< the largest finite number
    double least;    ///< the least subnormal
};

constexpr Range range_of(Type type) noexcept {
    switch (type) {
        case Type::f64:
        case Type::c128: return {0x1p-53, 0x1.fffffffffffffp+1023, 0x1p-1074};
        case Type::f32:
        case Type::c64: return {0x1p-24, 0x1.fffffep+127, 0x1p-149};
        case Type::f16: return {0x1p-11, 65504, 0x1p-24};
        case Type::bf16: return {0x1p-8, 0x1.fep+127, 0x1p-133};
    }
    return {};
}

}  // namespace tw
