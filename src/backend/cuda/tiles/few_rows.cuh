// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// What the kernels for few rows share: which products they take, elements to f32 and back, what 16 bytes of each of 16
// + 8 rows add to the unit's sums, and how the warps' sums become an element of C.
#pragma once

#include <algorithm>
#include <type_traits>

#include "backend/cuda/operands/product.cuh"
#include "backend/cuda/ptx/mma.cuh"

namespace tw::cuda {

__device__ inline float value(float x) { return x; }
__device__ inline float value(__half x) { return __half2float(x); }
__device__ inline float value(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ inline void assign(float& to, float x) { to = x; }
__device__ inline void assign(__half& to, float x) { to = __float2half_rn(x); }
__device__ inline void assign(__nv_bfloat16& to, float x) { to = __float2bfloat16_rn(x); }

/// d += a * b for the two units' worth of k that 16 bytes of each row hold.
template <class T>
__device__ void multiply_16_bytes(float (&d)[4], const uint4& upper, const uint4& lower, const uint4& token) {
    const std::uint32_t u[4] = {upper.x, upper.y, upper.z, upper.w}, l[4] = {lower.x, lower.y, lower.z, lower.w};
    const std::uint32_t t[4] = {token.x, token.y, token.z, token.w};
#pragma unroll
    for (int half = 0; half < 4; half += 2) {
        const std::uint32_t a[4] = {u[half], l[half], u[half + 1], l[half + 1]}, b[2] = {t[half], t[half + 1]};
        if constexpr (std::is_same_v<T, float>) {
            std::uint32_t a_parts[2][4], b_parts[2][2];
            // The unit ignores the 13 low bits: the large part is rounded to what it reads, the small one is cut by it.
            const auto cut = [](std::uint32_t bits, std::uint32_t& large, std::uint32_t& small) {
                large = (bits + 0x1000u) & 0xffffe000u;
                small = __float_as_uint(__uint_as_float(bits) - __uint_as_float(large));
            };
#pragma unroll
            for (int i = 0; i < 4; ++i) cut(a[i], a_parts[0][i], a_parts[1][i]);
#pragma unroll
            for (int i = 0; i < 2; ++i) cut(b[i], b_parts[0][i], b_parts[1][i]);
            ptx::multiply(d, a_parts[1], b_parts[0], T{});
            ptx::multiply(d, a_parts[0], b_parts[1], T{});
            ptx::multiply(d, a_parts[0], b_parts[0], T{});
        } else {
            ptx::multiply(d, a, b, T{});
        }
    }
}

template <class T>
struct FewRows {
    Tensor<const T> tokens, weights;  ///< rows along k, both
    Matrix c;  ///< tokens x weights, of f32 or of T: one kernel for both, for the size of the library
    float alpha, beta;
};

/// The warps' sums in order; what is not finite, the unit's parts of an Inf among it, is summed again plainly.
template <int warps, class T>
__device__ void complete(const FewRows<T>& p, int i, int j, const float* of_warps, int apart) {
    if (i >= p.tokens.rows() || j >= p.weights.rows()) return;
    float sum = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) sum += of_warps[w * apart];
    if (!isfinite(sum)) {
        sum = 0;
        for (std::int64_t k = 0; k < p.tokens.cols(); ++k) sum += value(p.tokens(i, k)) * value(p.weights(j, k));
    }
    const auto store = [&](auto* c) {
        auto& to = c[i * p.c.row_step + j * p.c.col_step];
        assign(to, p.beta == 0 ? p.alpha * sum : p.alpha * sum + p.beta * value(to));
    };
    if (p.c.type == Type::f32) store(static_cast<float*>(p.c.data));
    else store(static_cast<T*>(p.c.data));
}

inline constexpr int most_tokens = 16;

inline bool has_few_rows(const Problem& p) {
    return fits_ints(p) && p.a == Form::row_major && p.b == Form::col_major &&
           (p.m <= most_tokens || p.n <= most_tokens);
}

/// Few rows of A, or few columns of B, whichever way the operands lie. What is loaded ahead reaches two chunks of k
/// beyond its end.
inline bool has_few_rows_of_any_steps(const Problem& p) {
    constexpr std::int64_t two_chunks = 2048;
    return fits_ints(p) && p.k < INT32_MAX - 2 * two_chunks && (p.m <= most_tokens || p.n <= most_tokens);
}

/// The few rows and the weights as forms of rows along k, whichever side of the product they are on.
struct FewRowsForms {
    std::int64_t few, rows;
    Form tokens, weights;

    explicit FewRowsForms(const Problem& p) : few(std::min(p.m, p.n)), rows(std::max(p.m, p.n)) {
        const Form right = p.b == Form::row_major   ? Form::col_major
                           : p.b == Form::col_major ? Form::row_major
                                                    : Form::strided;
        const bool turned = p.m > most_tokens;
        tokens = turned ? right : p.a, weights = turned ? p.a : right;
        if (few == 1 && tokens != Form::strided) tokens = Form::row_major;  // one row is contiguous either way
    }
    bool along() const { return weights == Form::row_major; }
    /// TMA can fetch both, when there are no gaps between their rows. `at_once`: elements in 16 bytes.
    bool suits_tma(const Problem& p, std::int64_t at_once) const {
        return tokens == Form::row_major && weights != Form::strided && p.k % at_once == 0 &&
               (along() || rows % at_once == 0);
    }
};

}  // namespace tw::cuda
