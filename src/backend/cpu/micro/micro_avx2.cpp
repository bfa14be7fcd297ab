// SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
// Copyright 2026 The tilewright authors
//
// Micro-kernels of AVX2 and FMA: 6 rows of 2 vectors fill 12 of the 16 registers with sums, which is enough to keep two
// FMA units of 4 or 5 cycles' latency busy; the other four hold a row of B and a broadcast of A.
//
// A multiply-add is written as the instruction that adds to its own register: a compiler that may pick another form
// moves sums about, finds no register for the last two, and has them wait for memory in each step.
#include <immintrin.h>

#include "backend/cpu/micro/complex_tile.hpp"
#include "backend/cpu/micro/micro_table.hpp"
#include "backend/cpu/micro/narrow_avx2.hpp"
#include "backend/cpu/micro/pack_avx2.hpp"
#include "backend/cpu/micro/turned_tile.hpp"

namespace tw::cpu {
namespace {

alignas(64) constexpr int leading[16] = {-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0};

struct EightFloats {
    using Element = float;
    using Register = __m256;
    using Mask = __m256i;
    static constexpr int lanes = 8;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(leading + 8 - count)); }
    static Register zero() { return _mm256_setzero_ps(); }
    static Register load(const float* p) { return _mm256_loadu_ps(p); }
    static Register load(const float* p, Mask m) { return _mm256_maskload_ps(p, m); }
    static Register widened(bool is_half, const std::uint16_t* p) {
        return widened_words(is_half, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
    }
    static Register widened(bool is_half, const std::uint16_t* p, Mask m) {
        return widened_words(
            is_half,
            leading_words(p, __builtin_popcount(static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(m))))));
    }
    static Register broadcast(const float* p) { return _mm256_broadcast_ss(p); }
    static Register multiply(Register a, Register b) { return _mm256_mul_ps(a, b); }
    static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231ps %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) { return _mm256_fnmadd_ps(a, b, c); }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const Register even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
        low = _mm256_permute2f128_ps(even, odd, 0x20), high = _mm256_permute2f128_ps(even, odd, 0x31);
    }
    static void store(float* p, Register v) { _mm256_storeu_ps(p, v); }
    static void store(float* p, Register v, Mask m) { _mm256_maskstore_ps(p, m, v); }
    template <class Of>
    static constexpr int steps_turned = 16 / sizeof(Of);
    static float element(float x) { return x; }
    static float element(auto narrow) { return widened_one(narrow); }
    static void turn(const auto* from, std::int64_t step, auto& square) { turned_square(from, step, square); }
};

struct FourDoubles {
    using Element = double;
    using Register = __m256d;
    using Mask = __m256i;
    static constexpr int lanes = 4;
    static constexpr int broadcasts_folded = 0;

    static Mask mask(int count) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(leading + 8 - 2 * count));
    }
    static Register zero() { return _mm256_setzero_pd(); }
    static Register load(const double* p) { return _mm256_loadu_pd(p); }
    static Register load(const double* p, Mask m) { return _mm256_maskload_pd(p, m); }
    static Register broadcast(const double* p) { return _mm256_broadcast_sd(p); }
    static Register multiply(Register a, Register b) { return _mm256_mul_pd(a, b); }
    static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
    static Register multiply_add(Register a, Register b, Register c) {
        asm("vfmadd231pd %2, %1, %0" : "+x"(c) : "x"(a), "x"(b));
        return c;
    }
    static Register multiply_subtract(Register a, Register b, Register c) { return _mm256_fnmadd_pd(a, b, c); }
    static void interleave(Register a, Register b, Register& low, Register& high) {
        const Register even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
        low = _mm256_permute2f128_pd(even, odd, 0x20), high = _mm256_permute2f128_pd(even, odd, 0x31);
    }
    static void store(double* p, Register v) { _mm256_storeu_pd(p, v); }
    static void store(double* p, Register v, Mask m) { _mm256_maskstore_pd(p, m, v); }
    template <class>
    static constexpr int steps_turned = 2;
    static double element(double x) { return x; }
    static void turn(const double* from, std::int64_t step, Register (&square)[2]) {
        turned_square(from, step, square);
    }
};

}  // namespace

void turned_avx2_f32(const TurnedTile<float>& tile) {
    if (tile.b_type == Type::f16) return turned_tile_of<EightFloats, float16>(tile);
    if (tile.b_type == Type::bf16) return turned_tile_of<EightFloats, bfloat16>(tile);
    turned_tile_of<EightFloats>(tile);
}
void turned_avx2_f64(const TurnedTile<double>& tile) { turned_tile_of<FourDoubles>(tile); }

void packed_narrow_avx2(Type type, const void* from, std::int64_t row_step, int rows, std::int64_t k, float* to,
                        std::int64_t width) {
    if (type == Type::f16) pack_squares(static_cast<const float16*>(from), row_step, rows, k, to, width);
    else pack_squares(static_cast<const bfloat16*>(from), row_step, rows, k, to, width);
}

constinit const MicroKernel<float> micro_avx2_f32 =
    micro_kernel<EightFloats, 6, 12, 6>(44, pack<float>, turned_avx2_f32, packed_narrow_avx2);
constinit const MicroKernel<double> micro_avx2_f64 =
    micro_kernel<FourDoubles, 6, 12, 6>(22, pack<double>, turned_avx2_f64);
constinit const ComplexKernel<float> complex_avx2_f32 = complex_kernel<EightFloats, 6, 1>(48, pack<float>);
constinit const ComplexKernel<double> complex_avx2_f64 = complex_kernel<FourDoubles, 6, 1>(24, pack<double>);

}  // namespace tw::cpu
