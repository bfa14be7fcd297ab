// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// One element of an erased matrix, in device code.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "tilewright/view.hpp"

namespace tw::cuda {

__device__ inline double load(const Matrix& m, std::int64_t i, std::int64_t j) {
    const std::int64_t x = i * m.row_step + j * m.col_step;
    switch (m.type) {
        case Type::f64: return static_cast<const double*>(m.data)[x];
        case Type::f32: return static_cast<const float*>(m.data)[x];
        case Type::f16: return __half2float(static_cast<const __half*>(m.data)[x]);
        case Type::bf16: return __bfloat162float(static_cast<const __nv_bfloat16*>(m.data)[x]);
        case Type::c64:
        case Type::c128: break;  // two numbers, of which none may pass for the element
    }
    return 0;
}

__device__ inline void store(const Matrix& m, std::int64_t i, std::int64_t j, double value) {
    const std::int64_t x = i * m.row_step + j * m.col_step;
    switch (m.type) {
        case Type::f64: static_cast<double*>(m.data)[x] = value; break;
        case Type::f32: static_cast<float*>(m.data)[x] = static_cast<float>(value); break;
        case Type::f16: static_cast<__half*>(m.data)[x] = __float2half_rn(static_cast<float>(value)); break;
        case Type::bf16: static_cast<__nv_bfloat16*>(m.data)[x] = __float2bfloat16_rn(static_cast<float>(value)); break;
        case Type::c64:
        case Type::c128: break;
    }
}

/// Of a complex matrix, conjugate where it says so.
__device__ inline double2 load_complex(const Matrix& m, std::int64_t i, std::int64_t j) {
    const std::int64_t x = 2 * (i * m.row_step + j * m.col_step);
    double2 value{};
    if (m.type == Type::c128) {
        const auto* const parts = static_cast<const double*>(m.data) + x;
        value = {parts[0], parts[1]};
    } else {
        const auto* const parts = static_cast<const float*>(m.data) + x;
        value = {parts[0], parts[1]};
    }
    if (m.is_conj) value.y = -value.y;
    return value;
}

/// As the element lies.
__device__ inline void store_complex(const Matrix& m, std::int64_t i, std::int64_t j, double2 value) {
    const std::int64_t x = 2 * (i * m.row_step + j * m.col_step);
    if (m.type == Type::c128) {
        auto* const parts = static_cast<double*>(m.data) + x;
        parts[0] = value.x, parts[1] = value.y;
    } else {
        auto* const parts = static_cast<float*>(m.data) + x;
        parts[0] = static_cast<float>(value.x), parts[1] = static_cast<float>(value.y);
    }
}

}  // namespace tw::cuda
